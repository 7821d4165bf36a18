#include "analysis/report/measured.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/compare/question.hpp"
#include "analysis/compare/slowdowns.hpp"
#include "analysis/compare/waterfall.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

/// Compares by the first setting that varies, or by whole configurations if that setting alone does not distinguish
/// them.
CompareOptions with_question(const Table& table, const std::vector<std::size_t>& rows, CompareOptions options) {
  if (!options.by.empty() || options.baseline) return options;
  const auto question = question_about(table, rows, "", std::nullopt, options.slowdowns_first);
  const bool is_choice = question.by != beside_column && question.by != "network" && question.by != "file";
  if (is_choice && values_in(table, question.rows, configuration_column).size() > question.values.size())
    options.by = configuration_column;
  return options;
}

}  // namespace

std::string Measured::label_of(std::size_t row) const {
  const auto& configuration = table.text(configuration_column)[row];
  auto label = configuration.empty() ? table.text("transport")[row] : configuration;
  constexpr std::string_view obvious = "transport=";
  if (label.starts_with(obvious)) label.erase(0, obvious.size());
  if (crossed.at(configuration).size() > 1) label += " " + table.text("network")[row];
  if (comparison && comparison->by == "file") label += " " + table.text("file")[row];
  return label;
}

Measured measured(const Table& table, const CompareOptions& comparison, std::optional<double> link_GBps,
                  std::vector<std::string>& notes) {
  Measured all{.table = table, .rows = usable_rows(table, notes)};
  if (all.rows.empty()) throw BadUsage(fmt::format("nothing to report: no row is usable\n{}", fmt::join(notes, "\n")));
  all.limit_GBps = point_to_point_GBps(table, all.rows);
  all.limit_is_measured = all.limit_GBps.has_value();
  if (!all.limit_GBps) all.limit_GBps = link_GBps;
  for (const auto row : all.rows) {
    auto& networks = all.crossed[table.text(configuration_column)[row]];
    if (const auto& network = table.text("network")[row]; !network.empty()) networks.insert(network);
  }
  try {
    auto compared = compare(table, all.rows, with_question(table, all.rows, comparison));
    const bool is_asked = !comparison.by.empty() || comparison.baseline;
    if (is_asked || !compared.comparisons.empty()) {
      all.comparison = std::move(compared);
    } else {
      notes.insert(notes.end(), compared.refused.begin(), compared.refused.end());
    }
  } catch (const BadUsage&) {
    // A page without a comparison is still a page, unless one was asked for.
    if (!comparison.by.empty() || comparison.baseline) throw;
  }
  return all;
}

}  // namespace ringmark::analysis
