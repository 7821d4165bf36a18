#include "analysis/compare/question.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/slowdowns.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

/// Rows of the schemas in which the column varies: links are not compared with collectives.
std::vector<std::size_t> comparable_rows(const Table& table, const std::vector<std::size_t>& rows,
                                         const std::string& by) {
  const auto values = table.categories(by);
  const auto& schemas = table.text("schema");
  std::map<std::uint32_t, std::set<std::uint32_t>> seen;
  for (const auto row : rows) seen[schemas.id(row)].insert(values.ids[row]);
  std::vector<std::size_t> some;
  for (const auto row : rows) {
    if (seen[schemas.id(row)].size() > 1) some.push_back(row);
  }
  return some;
}

std::string choose_column(const Table& table, const std::vector<std::size_t>& rows, const std::string& asked,
                          bool slowdowns_first) {
  if (!asked.empty()) {
    if (!table.has(asked)) {
      throw BadUsage(
          fmt::format("--by {}: no such column; available: {}", asked, fmt::join(setting_columns(table), ", ")));
    }
    return asked;
  }
  if (slowdowns_first && has_slowdowns(table, rows)) return beside_column;
  auto columns = choices(table);
  columns.insert(columns.end(), {"network", "file"});
  for (const auto& column : columns) {
    if (!comparable_rows(table, rows, column).empty()) return column;
  }
  throw BadUsage(
      "nothing to compare: no setting varies in these rows; add the results of another setting, or give --by COLUMN");
}

std::string choose_baseline(const Table& table, const std::vector<std::size_t>& rows,
                            const std::vector<std::string>& values, const std::optional<std::string>& asked,
                            const std::string& by) {
  // Files are compared with the first one given.
  if (!asked && by == "file") return table.text("file")[rows.front()];
  if (!asked && by == beside_column && std::find(values.begin(), values.end(), alone) != values.end()) return alone;
  if (!asked) {
    const auto* preset = table.default_of(by);
    return preset != nullptr && std::find(values.begin(), values.end(), *preset) != values.end() ? *preset
                                                                                                 : values.front();
  }
  if (std::find(values.begin(), values.end(), *asked) != values.end()) return *asked;
  if (values.front().empty() && *asked == shown("")) return "";
  std::vector<std::string> names;
  for (const auto& value : values) names.push_back(shown(value));
  throw BadUsage(
      fmt::format("--baseline {}: {} never has this value; available: {}", *asked, by, fmt::join(names, ", ")));
}

/// Leaves out rows whose network is unknown: they belong to none of the compared networks.
void leave_out_unknown_paths(const Table& table, std::vector<std::size_t>& rows, std::vector<std::string>& notes) {
  const auto& networks = table.text("network");
  const auto left_out = std::erase_if(rows, [&](auto row) { return networks[row].empty(); });
  if (left_out > 0) notes.push_back(fmt::format("rows whose network is unknown: {}", left_out));
  if (rows.empty())
    throw BadUsage(
        "nothing to compare: no row reports the network it crossed (see docs/method/path-proof.md); give another "
        "column with --by");
}

}  // namespace

std::set<std::string> values_in(const Table& table, const std::vector<std::size_t>& rows, const std::string& column) {
  std::set<std::string> values;
  const auto categories = table.categories(column);
  std::vector<bool> seen(categories.values.size());
  for (const auto row : rows) seen[categories.ids[row]] = true;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) values.insert(categories.values[i]);
  }
  return values;
}

Question question_about(const Table& table, const std::vector<std::size_t>& all_rows, const std::string& by,
                        const std::optional<std::string>& baseline, bool slowdowns_first) {
  if (all_rows.empty()) throw BadUsage("nothing to compare: no row is usable");
  Question question{.by = choose_column(table, all_rows, by, slowdowns_first && !baseline),
                    .baseline = "",
                    .values = {},
                    .rows = {},
                    .refused = {}};
  question.rows = comparable_rows(table, all_rows, question.by);
  if (question.rows.empty()) question.rows = all_rows;
  if (question.by == beside_column) {
    question.rows = rows_of_groups(table, question.rows);
    if (question.rows.empty())
      throw BadUsage("--by beside: no row lists the ranks of its group; measure with --groups or ringmark-mix");
  }
  if (question.by == "network") leave_out_unknown_paths(table, question.rows, question.refused);
  const auto values = values_in(table, question.rows, question.by);
  question.values.assign(values.begin(), values.end());
  std::sort(question.values.begin(), question.values.end(), reads_before);
  question.baseline = choose_baseline(table, question.rows, question.values, baseline, question.by);
  if (question.values.size() < 2) {
    throw BadUsage(
        fmt::format("nothing to compare: {} is {} in every usable row", question.by, shown(question.values[0])));
  }
  return question;
}

}  // namespace ringmark::analysis
