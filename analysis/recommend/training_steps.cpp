#include "analysis/recommend/training_steps.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "base/flags/option.hpp"

namespace ringmark::analysis {
namespace {

std::optional<double> median_of(const Table& table, const std::vector<std::size_t>& rows, const std::string& column) {
  if (!table.has(column)) return std::nullopt;
  std::vector<double> values;
  for (const auto row : rows) {
    double value = 0;
    if (read_number(table.cell(row, column), -1e300, 1e300, value)) values.push_back(value);
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

/// Medians of lists, element by element; empty unless all have the same length.
std::vector<double> medians_of(const Table& table, const std::vector<std::size_t>& rows, const std::string& column) {
  if (!table.has(column)) return {};
  std::vector<std::vector<double>> lists;  // [element][row]
  for (const auto row : rows) {
    std::istringstream words(table.cell(row, column));
    std::size_t count = 0;
    for (std::string word; words >> word; ++count) {
      double value = 0;
      if (!read_number(word, 0.0, 1e300, value)) return {};
      if (row == rows.front()) lists.emplace_back();
      if (count >= lists.size()) return {};
      lists[count].push_back(value);
    }
    if (count != lists.size()) return {};
  }
  std::vector<double> medians;
  for (auto& list : lists) medians.push_back(median(std::move(list)));
  return medians;
}

std::string common(const Table& table, const std::vector<std::size_t>& rows, const std::string& column) {
  if (!table.has(column)) return "";
  const auto first = table.cell(rows.front(), column);
  const bool all = std::all_of(rows.begin(), rows.end(), [&](auto row) { return table.cell(row, column) == first; });
  return all ? first : "";
}

/// How a replay scaled the step to fit the machine that it ran on.
std::string scale_of(const Table& table, const std::vector<std::size_t>& rows) {
  std::vector<std::string> words;
  const auto add = [&](const char* column, const char* what, const char* how) {
    const auto value = common(table, rows, column);
    if (!value.empty() && value != "1") words.push_back(fmt::format("{} {} times as {}", what, value, how));
  };
  add("size_scale", "collectives", "large");
  add("compute_scale", "computation", "long");
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::vector<TrainingStep> training_steps(const Table& table, const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> replayed;
  for (const auto row : rows) {
    if (table.is(Schema::replay, row)) replayed.push_back(row);
  }
  if (replayed.empty()) return {};
  auto columns = case_columns(table);
  columns.emplace_back(configuration_column);
  for (const char* column : {"model", "compute_scale", "size_scale", "device", "compute_used", "slow_down", "file"}) {
    if (table.has(column)) columns.emplace_back(column);
  }
  std::vector<TrainingStep> steps;
  const Groups groups(table, replayed, columns);
  for (const auto& group : groups.groups()) {
    const auto row = group.rows.front();
    std::string played;
    for (const char* column : {"model", "device", "slow_down"}) {
      const auto value = common(table, group.rows, column);
      if (value.empty()) continue;
      played += fmt::format("{}{}, ", column == std::string_view("slow_down") ? "slowed down " : "", value);
    }
    const auto scaled = scale_of(table, group.rows);
    steps.push_back({.case_name = played + case_of(table, row) + (scaled.empty() ? "" : ", SCALED: " + scaled),
                     .scaled = scaled,
                     .configuration = table.text(configuration_column)[row],
                     .row = row,
                     .launches = group.times_us.size(),
                     .time_us = median(group.times_us),
                     .computation_us = median_of(table, group.rows, "computation_us"),
                     .exposed_us = median_of(table, group.rows, "exposed_us"),
                     .hidden_us = median_of(table, group.rows, "hidden_us"),
                     .samples_per_s = median_of(table, group.rows, "samples_per_s"),
                     .micro_computation_us = medians_of(table, group.rows, "micro_computation_us"),
                     .micro_exposed_us = medians_of(table, group.rows, "micro_exposed_us"),
                     .waited_for = common(table, group.rows, "waited_for")});
  }
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return std::tie(a.case_name, a.time_us) < std::tie(b.case_name, b.time_us);
  });
  return steps;
}

}  // namespace ringmark::analysis
