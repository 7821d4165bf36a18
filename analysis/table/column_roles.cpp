#include "analysis/table/column_roles.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "results/schema/columns.hpp"

namespace ringmark::analysis {
namespace {

/// True if the column has several values within one schema. Across schemas it may differ without a choice: rows of
/// links have no algorithm.
bool varies(const Table& table, const Categories& categories) {
  const auto& schemas = table.text("schema");
  std::map<std::uint32_t, std::uint32_t> first;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (first.try_emplace(schemas.id(row), categories.ids[row]).first->second != categories.ids[row]) return true;
  }
  return false;
}

/// True if `other` has a value wherever `one` has one.
bool goes_without(const Table& table, const std::string& one, const std::string& other) {
  const auto &ours = table.text(one), &theirs = table.text(other);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!ours[row].empty() && theirs[row].empty()) return false;
  }
  return true;
}

/// Marks the configuration whose values all equal the sweep's defaults as the default. There may be none, or several.
void set_default_configuration(Table& table, const std::vector<std::string>& configurations) {
  if (!table.has_defaults()) return;
  std::vector<std::pair<std::string, Categories>> with_default;
  for (const auto& column : setting_columns(table)) {
    if (table.default_of(column) != nullptr) with_default.emplace_back(column, table.categories(column));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto is_default = [&](const auto& each) {
      const auto& [column, categories] = each;
      return categories.values[categories.ids[row]] == *table.default_of(column);
    };
    if (std::all_of(with_default.begin(), with_default.end(), is_default))
      table.set_default(configuration_column, configurations[row]);
  }
}

}  // namespace

std::vector<std::string> case_columns(const Table& table) {
  constexpr std::array apart{"size_bytes", "count", "start"};  // a case has many sizes, mostly one start
  std::vector<std::string> columns;
  for (const auto& column : contract_columns()) {
    const bool is_apart = std::find(apart.begin(), apart.end(), column.name) != apart.end();
    if (column.role == Role::benchmark_case && !is_apart) columns.emplace_back(column.name);
  }
  for (const auto& key : settings_keys()) {
    if (names_group(key.name) && table.has(std::string(key.name))) columns.emplace_back(key.name);
  }
  if (has_agreed_starts(table)) columns.emplace_back("start");
  return columns;
}

bool has_agreed_starts(const Table& table) {
  if (!table.has("start")) return false;
  const auto& starts = table.text("start");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (starts[row] == name(Start::window)) return true;
  }
  return false;
}

bool is_origin_in(const Table& table, std::string_view column) {
  const auto role = role_of(column);
  if (role != Role::library_version) return role == Role::origin;
  const auto& versions = table.text(std::string(column)).values();
  // Rows of other transports have no version.
  return std::count_if(versions.begin(), versions.end(), [](const auto& each) { return !each.empty(); }) < 2;
}

std::vector<std::string> setting_columns(const Table& table) {
  std::vector<std::string> columns{"transport"};
  const auto extra = table.extra_columns();
  const auto has = [&](std::string_view name) { return std::find(extra.begin(), extra.end(), name) != extra.end(); };
  for (const auto& name : extra) {
    // A sweep's variable and the step's own column for it are one setting.
    const auto flag = std::string(replay_flag(name));
    const bool is_told_twice = flag != name && has(flag) && goes_without(table, name, flag);
    const bool is_no_setting =
        name == configuration_column || is_origin_in(table, name) || names_group(name) || is_measured(name);
    if (!is_no_setting && !is_told_twice) columns.push_back(name);
  }
  for (const char* name : {"algorithm", "memory", "network", "file"}) columns.emplace_back(name);
  return columns;
}

std::vector<std::string> choices(const Table& table) {
  constexpr std::array of_the_place{"network", "file"};
  std::vector<std::string> columns;
  for (const auto& column : setting_columns(table)) {
    const bool is_of_the_place = std::find(of_the_place.begin(), of_the_place.end(), column) != of_the_place.end();
    if (is_choice(column) && !is_of_the_place && varies(table, table.categories(column))) columns.push_back(column);
  }
  return columns;
}

void add_configurations(Table& table) {
  std::vector<std::pair<std::string, Categories>> varying;
  const auto columns = choices(table);
  // Each row's configuration names all of them, and each comparison has two configurations.
  constexpr std::size_t most_settings = 200;
  if (columns.size() > most_settings)
    throw BadUsage(fmt::format(
        "{} settings vary in these results ({} to {}), more than the limit of {}: remove columns that are not settings",
        columns.size(), columns.front(), columns.back(), most_settings));
  for (const auto& column : columns) varying.emplace_back(column, table.categories(column));
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> words;
    for (const auto& [column, categories] : varying) {
      if (const auto& value = categories.values[categories.ids[row]]; !value.empty())
        words.push_back(column + "=" + value);
    }
    cells.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  table.set_text(configuration_column, cells);
  set_default_configuration(table, cells);
}

}  // namespace ringmark::analysis
