#include "analysis/table/groups.hpp"

#include <map>

#include "base/units.hpp"
#include "results/schema/benchmark_case.hpp"

namespace ringmark::analysis {
namespace {

/// All starts except an agreed one count as the same, including those of other tools, which do not report theirs.
Categories categories_of(const Table& table, const std::string& column) {
  auto categories = table.categories(column);
  if (column != "start") return categories;
  for (auto& id : categories.ids) id = categories.values[id] == name(Start::window) ? 1 : 0;
  categories.values = {"", std::string(name(Start::window))};
  return categories;
}

/// Fills in the group's launches, and the time of each.
void find_launches(const Table& table, Group& group) {
  const auto& run_ids = table.text("run_id");
  const auto& times = table.number("time_us_p50");
  std::map<std::uint32_t, std::vector<double>> launches;
  for (const auto row : group.rows) launches[run_ids.id(row)].push_back(times[row]);
  for (const auto& [id, times_us] : launches) {
    group.launches.push_back(id);
    group.times_us.push_back(geometric_mean(times_us));
  }
}

}  // namespace

Groups::Groups(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string> columns)
    : columns_(std::move(columns)) {
  for (const auto& column : columns_) categories_.push_back(categories_of(table, column));
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<std::uint32_t> key(columns_.size());
  for (const auto row : rows) {
    for (std::size_t c = 0; c < columns_.size(); ++c) key[c] = categories_[c].ids[row];
    const auto [found, is_new] = known.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back({key, {}, {}, {}});
    groups_[found->second].rows.push_back(row);
  }
  for (auto& group : groups_) find_launches(table, group);
}

std::string case_of(const Table& table, std::size_t row) {
  return case_in_words([&](const char* column) { return table.has(column) ? table.cell(row, column) : ""; });
}

std::string shown(const std::string& value) { return value.empty() ? "(unset)" : value; }

bool reads_before(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() && !b.empty();
  const auto x = parse_figure(a), y = parse_figure(b);
  // Numbers come before words; otherwise the order would not be transitive.
  if (x.has_value() != y.has_value()) return x.has_value();
  return x && *x != *y ? *x < *y : a < b;
}

}  // namespace ringmark::analysis
