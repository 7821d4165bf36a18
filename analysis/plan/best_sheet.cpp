#include "analysis/plan/best_sheet.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

/// A number of the sheet Best, of the best configuration.
struct BestNumber {
  const char* name;
  result_column::Column column;
  double PlanRow::*value;
  bool is_least;
};
constexpr BestNumber best_numbers[]{{"days", result_column::days, &PlanRow::days, true},
                                    {"cost", result_column::cost, &PlanRow::cost, true},
                                    {"tokens_per_s", result_column::tokens_per_s, &PlanRow::tokens_per_s, false}};

std::optional<double> best_value(const Planned& planned, const BestNumber& number, std::size_t of_model,
                                 std::size_t of_cluster, std::size_t nodes_index) {
  std::optional<double> value;
  for (const auto* row : planned.rows) {
    if (row->model != of_model || row->cluster != of_cluster || row->nodes_index != nodes_index) continue;
    const double each = row->*number.value;
    if (!value || (number.is_least ? each < *value : each > *value)) value = each;
  }
  return value;
}

/// For the number of nodes in column A of the line.
std::string best_formula(const Planned& planned, const BestNumber& number, const std::string& of_model,
                         const std::string& of_cluster, std::size_t line) {
  using namespace result_column;
  const auto all = [&](std::size_t column) {
    return column_range("Results", column, first_result_line, first_result_line + planned.rows.size() - 1);
  };
  const auto conditions = fmt::format("{},{},{},{},{},$A{}", all(model), quoted(of_model), all(cluster),
                                      quoted(of_cluster), all(nodes), line + 1);
  return fmt::format("=IF(COUNTIFS({0})=0,\"\",_xlfn.{1}({2},{0}))", conditions, number.is_least ? "MINIFS" : "MAXIFS",
                     all(number.column));
}

std::string unit_of(const Scenario& scenario, std::string_view number) {
  return number == "cost" ? scenario.currency : number == "days" ? "days" : "tokens / s";
}

/// From zero, or logarithmic where numbers differ by more than a decade, or where some are missing: these would be
/// zeros.
void set_axis(lxw_chart_axis* axis, const std::vector<double>& numbers, std::size_t places) {
  if (numbers.empty()) return;
  constexpr double decade = 10;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const bool is_linear = numbers.size() == places && *most <= decade * *least;
  if (is_linear) chart_axis_set_min(axis, 0);
  if (!is_linear) chart_axis_set_log_base(axis, 10);
}

/// A table and its chart, of all models and clusters over numbers of nodes, from the row `top` on.
void write_best_table(Spreadsheet& book, lxw_worksheet* sheet, const Planned& planned, const BestNumber& number,
                      std::size_t top) {
  const auto& scenario = planned.scenario;
  const std::size_t first = top + 2, last = first + scenario.nodes.size() - 1;
  Spreadsheet::text(sheet, top, 0, fmt::format("{} of the best configuration that fits, by nodes", number.name),
                    book.bold());
  Spreadsheet::make_high(sheet, top + 1);
  Spreadsheet::text(sheet, top + 1, 0, "nodes", book.heading());
  for (std::size_t n = 0; n < scenario.nodes.size(); ++n)
    Spreadsheet::number(sheet, first + n, 0, scenario.nodes[n], book.whole());
  auto* chart = book.line_chart();
  chart_title_set_name(chart, number.name);
  chart_axis_set_name(chart->x_axis, "nodes");
  chart_axis_set_name(chart->y_axis, unit_of(planned.scenario, number.name).c_str());
  std::vector<double> numbers;
  std::size_t column = 1;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    for (std::size_t c = 0; c < scenario.clusters.size(); ++c, ++column) {
      const auto& model_name = scenario.models[m].name;
      const auto& cluster_name = scenario.clusters[c].name;
      const auto title = model_name + ", " + cluster_name;
      Spreadsheet::text(sheet, top + 1, column, title, book.heading());
      for (std::size_t n = 0; n < scenario.nodes.size(); ++n) {
        const auto value = best_value(planned, number, m, c, n);
        Spreadsheet::formula(sheet, first + n, column,
                             best_formula(planned, number, model_name, cluster_name, first + n), value,
                             number.value == &PlanRow::days ? book.tenth() : book.whole());
        if (value) numbers.push_back(*value);
      }
      auto* series = chart_add_series(chart, nullptr, nullptr);
      const auto row = [](std::size_t index) { return static_cast<lxw_row_t>(index); };
      const auto of = static_cast<lxw_col_t>(column);
      chart_series_set_categories(series, "Best", row(first), 0, row(last), 0);
      chart_series_set_values(series, "Best", row(first), of, row(last), of);
      chart_series_set_name(series, (title.starts_with('=') ? " " + title : title).c_str());
      chart_series_set_marker_type(series, LXW_CHART_MARKER_AUTOMATIC);
    }
  }
  set_axis(chart->y_axis, numbers, (column - 1) * scenario.nodes.size());
  Spreadsheet::insert_chart(sheet, top, column + 1, chart);
}

}  // namespace

void write_best(Spreadsheet& book, lxw_worksheet* sheet, const Planned& planned) {
  constexpr std::size_t widest = 60, chart_rows = 17;
  Spreadsheet::set_width(sheet, 0, widest, 16);
  worksheet_repeat_rows(sheet, 1, 1);  // the tables have the same columns
  std::size_t top = 0;
  for (const auto& number : best_numbers) {
    write_best_table(book, sheet, planned, number, top);
    top += std::max(planned.scenario.nodes.size() + 4, chart_rows);
  }
  // No chart is cut by the end of a page.
  constexpr std::size_t readable_lines = 75;
  if (top <= readable_lines) worksheet_fit_to_pages(sheet, 1, 1);
}

}  // namespace ringmark::analysis
