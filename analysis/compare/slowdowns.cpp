#include "analysis/compare/slowdowns.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analysis/compare/compare_text.hpp"
#include "analysis/table/column_roles.hpp"
#include "base/text/text_table.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

std::string interval_in_words(const Comparison& each) {
  return each.interval ? fmt::format("{:.3f} to {:.3f}", each.interval->low, each.interval->high) : "-";
}

}  // namespace

std::vector<std::size_t> rows_of_groups(const Table& table, const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> some;
  if (!table.has(beside_column) || !table.has("members")) return some;
  const auto &besides = table.text(beside_column), &members = table.text("members");
  for (const auto row : rows) {
    if (!besides[row].empty() && !members[row].empty()) some.push_back(row);
  }
  return some;
}

bool has_slowdowns(const Table& table, const std::vector<std::size_t>& rows) {
  const auto some = rows_of_groups(table, rows);
  if (some.empty()) return false;
  auto columns = case_columns(table);
  std::erase_if(columns, [](const auto& column) { return column == beside_column || changes_beside_others(column); });
  columns.emplace_back("size_bytes");
  const auto& besides = table.text(beside_column);
  const Groups cases(table, some, columns);
  return std::any_of(cases.groups().begin(), cases.groups().end(), [&](const Group& group) {
    const auto is_alone = [&](std::size_t row) { return besides[row] == alone; };
    const auto times_alone = std::count_if(group.rows.begin(), group.rows.end(), is_alone);
    return times_alone > 0 && times_alone < static_cast<std::ptrdiff_t>(group.rows.size());
  });
}

bool changes_beside_others(const std::string& column) { return column == "groups" || column == "group"; }

void count_rounds(const Table& table, const Group& together, const Group& alone, MatchedPair& pair) {
  const bool is_one_launch = together.launches.size() == 1 && together.launches == alone.launches;
  if (!is_one_launch || std::min(together.rows.size(), alone.rows.size()) < 2) return;
  const auto& times = table.number("time_us_p50");
  pair.times_us.clear(), pair.baseline_us.clear();
  for (const auto row : together.rows) pair.times_us.push_back(times[row]);
  for (const auto row : alone.rows) pair.baseline_us.push_back(times[row]);
  pair.is_by_rounds = true;
}

const Comparison* worst_slowdown(const CompareResult& slowdowns) {
  std::map<std::pair<std::string, std::string>, const Comparison*> largest;
  for (const auto& each : slowdowns.comparisons) {
    auto& at = largest[{each.case_name, each.setting}];
    if (at == nullptr || at->size_bytes < each.size_bytes) at = &each;
  }
  const Comparison* worst = nullptr;
  for (const auto& [group, each] : largest) {
    if (each->verdict != Verdict::slower || each->is_doubted()) continue;
    if (worst == nullptr || each->ratio > worst->ratio) worst = each;
  }
  return worst;
}

std::string print_slowdowns(const CompareResult& slowdowns) {
  std::string text;
  for (std::size_t i = 0; i < slowdowns.comparisons.size();) {
    const auto& first = slowdowns.comparisons[i];
    text += fmt::format("\n{}{}{}\n", first.case_name, first.setting.empty() ? "" : ", ", first.setting);
    std::vector<std::vector<std::string>> lines{
        {">size", ">slowdown", ">interval", ">together (us)", ">alone (us)", ">launches", ">p", "verdict"}};
    std::vector<const Comparison*> of_this;
    for (; i < slowdowns.comparisons.size(); ++i) {
      const auto& each = slowdowns.comparisons[i];
      if (std::tie(each.case_name, each.setting) != std::tie(first.case_name, first.setting)) break;
      lines.push_back({format_size(each.size_bytes), fmt::format("{:.3f}", each.ratio), interval_in_words(each),
                       short_number(median(each.times_us)), short_number(median(each.baseline_us)),
                       each.is_by_rounds ? "1" : fmt::format("{}:{}", each.times_us.size(), each.baseline_us.size()),
                       fmt::format("{:.2g}", each.p), std::string(each.judged_name())});
      of_this.push_back(&each);
    }
    text += print_table(std::move(lines)) + caveats_in_words(of_this, slowdowns.baseline);
  }
  const bool any_by_rounds = std::any_of(slowdowns.comparisons.begin(), slowdowns.comparisons.end(),
                                         [](const Comparison& each) { return each.is_by_rounds; });
  if (any_by_rounds) text += "\nthe interval of a single launch is over its rounds: launches may differ by more\n";
  return text;
}

std::string slowdown_headline(const CompareResult& slowdowns) {
  const auto* worst = worst_slowdown(slowdowns);
  if (worst == nullptr) return "No group is significantly slower alongside others than alone at its largest size";
  return fmt::format("{}{}{} at {}: {} than alone", worst->case_name, worst->setting.empty() ? "" : ", ",
                     worst->setting, format_size(worst->size_bytes), in_words(*worst));
}

}  // namespace ringmark::analysis
