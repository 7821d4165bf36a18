#include "analysis/plan/workbook.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/plan/answer_sheet.hpp"
#include "analysis/plan/answers.hpp"
#include "analysis/plan/assumptions_sheet.hpp"
#include "analysis/plan/formulas.hpp"
#include "analysis/plan/sensitivity_sheet.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "base/write_file.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

/// The data of the sheets that follow the assumptions.
struct Planned {
  const Scenario& scenario;
  const std::vector<PlanRow>& rows;
  const CellNames& cells;
};

/// A figure of the sheet Best, of the best configuration that fits.
struct BestFigure {
  const char* name;
  std::size_t column;
  double PlanRow::*value;
  bool is_least;
};
constexpr BestFigure best_figures[]{{"days", result_column::days, &PlanRow::days, true},
                                    {"cost", result_column::cost, &PlanRow::cost, true},
                                    {"tokens_per_s", result_column::tokens_per_s, &PlanRow::tokens_per_s, false}};

std::optional<double> best_value(const Planned& planned, const BestFigure& figure, std::size_t model,
                                 std::size_t cluster, std::size_t nodes_index) {
  std::optional<double> value;
  for (const auto& row : planned.rows) {
    if (!row.fits || row.model != model || row.cluster != cluster || row.nodes_index != nodes_index) continue;
    const double each = row.*figure.value;
    if (!value || (figure.is_least ? each < *value : each > *value)) value = each;
  }
  return value;
}

/// A name within the quotes of a formula.
std::string quoted(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text;
}

/// For the number of nodes in column A of the line.
std::string best_formula(const Planned& planned, const BestFigure& figure, const std::string& model,
                         const std::string& cluster, std::size_t line) {
  const auto all = [&](std::size_t column) { return result_range(column, planned.rows.size()); };
  return fmt::format(
      "=IF(COUNTIFS({0},\"{1}\",{2},\"{3}\",{4},$A{5},{6},1)=0,\"\",_xlfn.{7}({8},{0},\"{1}\",{2},\"{3}\",{4}"
      ",$A{5},{6},1))",
      all(result_column::model), quoted(model), all(result_column::cluster), quoted(cluster), all(result_column::nodes),
      line + 1, all(result_column::fits), figure.is_least ? "MINIFS" : "MAXIFS", all(figure.column));
}

std::string unit_of(const Scenario& scenario, std::string_view figure) {
  return figure == "cost" ? scenario.currency : figure == "days" ? "days" : "tokens / s";
}

/// From zero, or logarithmic where figures differ by more than a decade, or where some are missing: these would be
/// zeros.
void set_axis(lxw_chart_axis* axis, const std::vector<double>& figures, std::size_t places) {
  constexpr double decade = 10;
  const auto [least, most] = std::minmax_element(figures.begin(), figures.end());
  const bool is_linear = figures.size() == places && *most <= decade * *least;
  if (is_linear) chart_axis_set_min(axis, 0);
  if (!is_linear) chart_axis_set_log_base(axis, 10);
}

/// A table and its chart, of all models and clusters over numbers of nodes, from the row `top` on.
void write_best_table(Spreadsheet& book, lxw_worksheet* best, const Planned& planned, const BestFigure& figure,
                      std::size_t top) {
  const auto& scenario = planned.scenario;
  const std::size_t first = top + 2, last = first + scenario.nodes.size() - 1;
  Spreadsheet::text(best, top, 0, fmt::format("{} of the best configuration that fits, by nodes", figure.name),
                    book.bold());
  Spreadsheet::make_high(best, top + 1);
  Spreadsheet::text(best, top + 1, 0, "nodes", book.heading());
  for (std::size_t n = 0; n < scenario.nodes.size(); ++n)
    Spreadsheet::formula(best, first + n, 0, "=" + planned.cells.nodes[n], scenario.nodes[n], book.whole());
  auto* chart = book.line_chart();
  chart_title_set_name(chart, figure.name);
  chart_axis_set_name(chart->x_axis, "nodes");
  chart_axis_set_name(chart->y_axis, unit_of(planned.scenario, figure.name).c_str());
  std::vector<double> figures;
  std::size_t column = 1;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    for (std::size_t c = 0; c < scenario.clusters.size(); ++c, ++column) {
      const auto& model = scenario.models[m].name;
      const auto& cluster = scenario.clusters[c].name;
      const auto title = model + ", " + cluster;
      Spreadsheet::text(best, top + 1, column, title, book.heading());
      for (std::size_t n = 0; n < scenario.nodes.size(); ++n) {
        const auto value = best_value(planned, figure, m, c, n);
        Spreadsheet::formula(best, first + n, column, best_formula(planned, figure, model, cluster, first + n), value,
                             figure.value == &PlanRow::days ? book.tenth() : book.whole());
        if (value) figures.push_back(*value);
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
  set_axis(chart->y_axis, figures, (column - 1) * scenario.nodes.size());
  Spreadsheet::insert_chart(best, top, column + 1, chart);
}

void write_best(Spreadsheet& book, const Planned& planned) {
  auto* best = book.sheet("Best");
  constexpr std::size_t widest = 60, chart_rows = 17;
  Spreadsheet::set_width(best, 0, widest, 16);
  worksheet_repeat_rows(best, 1, 1);  // the tables have the same columns
  std::size_t top = 0;
  for (const auto& figure : best_figures) {
    write_best_table(book, best, planned, figure, top);
    top += std::max(planned.scenario.nodes.size() + 4, chart_rows);
  }
  // No chart is cut by the end of a page.
  constexpr std::size_t readable_lines = 75;
  if (top <= readable_lines) worksheet_fit_to_pages(best, 1, 1);
}

/// The best rows are shown; the filter shows the others.
void filter_results(lxw_worksheet* results, std::size_t rows) {
  worksheet_autofilter(results, first_result_line - 2, 0, static_cast<lxw_row_t>(rows + first_result_line - 2),
                       result_column::number);
  char best_value[] = "1";
  lxw_filter_rule rule{};
  rule.criteria = LXW_FILTER_CRITERIA_EQUAL_TO;
  rule.value_string = best_value;
  rule.value = 1;
  worksheet_filter_column(results, result_column::best, &rule);
}

void write_results(Spreadsheet& book, const Planned& planned) {
  using namespace result_column;
  auto* results = book.sheet("Results");
  worksheet_freeze_panes(results, first_result_line - 1, nodes);
  const char* given[]{"model", "cluster", "stage", "recompute", "micro_batch"};
  for (std::size_t c = 0; c < std::size(given); ++c)
    Spreadsheet::text(results, 0, c, given[c], c < stage ? book.heading() : book.number_heading());
  Spreadsheet::set_width(results, 0, 1, 16);
  Spreadsheet::set_width(results, 2, result_column::number, 13);
  worksheet_repeat_rows(results, 0, first_result_line - 2);
  worksheet_repeat_columns(results, 0, nodes);
  worksheet_fit_to_pages(results, 2, 0);
  for (std::size_t i = 0; i < planned.rows.size(); ++i) {
    const auto& row = planned.rows[i];
    const std::size_t line = i + first_result_line - 1;
    Spreadsheet::text(results, line, model, planned.scenario.models[row.model].name);
    Spreadsheet::text(results, line, cluster, planned.scenario.clusters[row.cluster].name);
    Spreadsheet::number(results, line, stage, row.stage, book.whole());
    Spreadsheet::number(results, line, micro_batch, row.micro_batch, book.whole());
    Spreadsheet::number(results, line, recompute, row.recompute ? 1 : 0, book.whole());
    if (!row.is_best) {
      lxw_row_col_options hidden{};
      hidden.hidden = 1;
      worksheet_set_row_opt(results, static_cast<lxw_row_t>(line), LXW_DEF_ROW_HEIGHT, nullptr, &hidden);
    }
    std::size_t column = accumulation;
    for (const auto& cell : result_cells(planned.scenario, planned.cells, planned.rows, i)) {
      if (i == 0) {
        Spreadsheet::text(results, 0, column, cell.name, book.number_heading());
        Spreadsheet::text(results, 1, column, cell.unit);
      }
      if (cell.formula.empty()) {
        Spreadsheet::number(results, line, column++, cell.value.value_or(0), book.whole());
      } else {
        Spreadsheet::formula(results, line, column++, cell.formula, cell.value, book.figure());
      }
    }
  }
  filter_results(results, planned.rows.size());
}

void write_sources(Spreadsheet& book, const Scenario& scenario) {
  auto* sources = book.sheet("Sources");
  worksheet_repeat_rows(sources, 0, 0);
  Spreadsheet::set_width(sources, 0, 1, 20);
  Spreadsheet::set_width(sources, 2, 2, 110);
  Spreadsheet::text(sources, 0, 0, "cluster", book.heading());
  Spreadsheet::text(sources, 0, 1, "path", book.heading());
  Spreadsheet::text(sources, 0, 2, "alpha and rate", book.heading());
  std::size_t line = 1;
  for (const auto& cluster : scenario.clusters) {
    for (const auto& [path, cost] :
         {std::pair{"within a node", &cluster.intra}, std::pair{"between nodes", &cluster.network}}) {
      Spreadsheet::text(sources, line, 0, cluster.name);
      Spreadsheet::text(sources, line, 1, path);
      Spreadsheet::text(sources, line++, 2, cost->source);
    }
  }
  Spreadsheet::text(sources, ++line, 0, fmt::format("Made {} by ringmark {}", now_utc(), version()));
}

}  // namespace

void write_workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows) {
  replace_file(path, [&](const std::string& part) {
    Spreadsheet book(part);
    auto* answer = book.sheet("Answer");
    const auto cells = write_assumptions(book, scenario);
    const Planned planned{scenario, rows, cells};
    auto* sensitivity = book.sheet("Sensitivity");
    write_best(book, planned);
    write_results(book, planned);
    write_sources(book, scenario);
    VariantsSheet variants(book, scenario, cells, rows.size());
    const auto answers = answers_of(scenario, rows);
    const auto answered = write_answer(book, answer, variants, scenario, cells, rows, answers);
    write_sensitivity(book, sensitivity, variants, scenario, answers, answered);
    book.close();
  });
}

}  // namespace ringmark::analysis
