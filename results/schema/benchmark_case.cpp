#include "results/schema/benchmark_case.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "results/schema/columns.hpp"

namespace ringmark {
namespace {

using CellOf = std::function<std::string(const char* column)>;

/// ", ranks 0,2 of 0,2;1,3", ", all dp groups of tp:2,dp", ", victim alone"; empty where there is no group.
std::string group_in_words(const CellOf& cell) {
  const auto groups = cell("groups"), group = cell("group"), members = cell("members"), beside = cell("beside");
  if (groups.empty() && !group.empty()) return fmt::format(", {}{}{}", group, beside.empty() ? "" : " ", beside);
  if (!members.empty()) {
    const bool is_alone = beside == name(Company::alone);
    return fmt::format(", ranks {}{}", members, is_alone ? " alone" : groups.empty() ? "" : " of " + groups);
  }
  return groups.empty() ? "" : fmt::format(", all {} groups of {}", group, groups);
}

}  // namespace

std::string case_in_words(const CellOf& cell) {
  std::string text = cell("collective");
  for (const char* column : {"datatype", "op"}) {
    if (const auto value = cell(column); !value.empty()) text += " " + value;
  }
  if (cell("schema") == name(Schema::link)) return fmt::format("{} {}->{}", text, cell("src"), cell("dst"));
  if (cell("in_place") == "1") text += " in place";
  if (cell("timing") == name(Timing::batch)) text += ", batch";
  if (cell("start") == name(Start::window)) text += ", agreed start";
  const auto ranks = cell("ranks"), nodes = cell("nodes");
  text += fmt::format(", {} ranks", ranks.empty() ? "0" : ranks);
  if (!nodes.empty() && nodes != "0" && nodes != ranks)
    text += fmt::format(" on {} node{}", nodes, nodes == "1" ? "" : "s");
  return text + group_in_words(cell);
}

std::string case_of(const Record& row) {
  const auto settings = to_map(row.settings);
  return case_in_words([&](const char* column) {
    const auto found = settings.find(column);
    return found == settings.end() ? cell_of(row, column).value_or("") : found->second;
  });
}

bool is_in_case(std::string_view flag) {
  constexpr std::array flags{"program", "ranks", "sizes", "datatype", "op",   "in-place",
                             "timing",  "test",  "pairs", "groups",   "start"};
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

}  // namespace ringmark
