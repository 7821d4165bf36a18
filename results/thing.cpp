#include "results/thing.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "results/cells.hpp"

namespace ringmark {
namespace {

/// ", ranks 0,2 of 0,2;1,3", ", all dp groups of tp:2,dp", ", victim alone"; empty where there is no group.
std::string group_in_words(const Thing& thing) {
  const bool is_alone = thing.beside == "alone";
  if (thing.groups.empty() && !thing.group.empty())
    return fmt::format(", {}{}{}", thing.group, thing.beside.empty() ? "" : " ", thing.beside);
  if (!thing.members.empty())
    return fmt::format(", ranks {}{}", thing.members,
                       is_alone               ? " alone"
                       : thing.groups.empty() ? ""
                                              : fmt::format(" of {}", thing.groups));
  if (thing.groups.empty()) return "";
  return fmt::format(", all {} groups of {}", thing.group, thing.groups);
}

}  // namespace

std::string in_words(const Thing& thing) {
  auto text = fmt::format("{} {}", thing.collective, thing.datatype);
  if (!thing.op.empty()) text += fmt::format(" {}", thing.op);
  if (thing.is_link) return fmt::format("{} {}->{}", text, thing.source, thing.destination);
  if (thing.is_in_place) text += " in place";
  if (thing.is_batch) text += ", batch";
  if (thing.has_agreed_start) text += ", agreed start";
  text += fmt::format(", {} ranks", thing.ranks);
  if (thing.nodes != 0 && thing.nodes != thing.ranks)
    text += fmt::format(" on {} node{}", thing.nodes, thing.nodes == 1 ? "" : "s");
  return text + group_in_words(thing);
}

std::string thing_of(const Record& row) {
  const auto collective = to_cell(row.collective), datatype = to_cell(row.datatype), op = to_cell(row.op);
  const auto source = row.link ? to_cell(row.link->source) : "";
  const auto destination = row.link ? to_cell(row.link->destination) : "";
  return in_words(Thing{.collective = collective,
                        .datatype = datatype,
                        .op = op,
                        .is_link = row.schema == Schema::link,
                        .source = source,
                        .destination = destination,
                        .is_in_place = row.in_place == 1,
                        .is_batch = row.timing == Timing::batch,
                        .has_agreed_start = row.start == Start::window,
                        .ranks = row.ranks,
                        .nodes = row.nodes,
                        .groups = row.setting("groups"),
                        .group = row.setting("group"),
                        .members = row.setting("members"),
                        .beside = row.setting("beside")});
}

bool is_in_thing(std::string_view flag) {
  constexpr std::array flags{"program", "ranks", "sizes", "datatype", "op",   "in-place",
                             "timing",  "test",  "pairs", "groups",   "start"};
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

}  // namespace ringmark
