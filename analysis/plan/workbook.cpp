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
#include "analysis/plan/variants_sheet.hpp"
#include "base/write_file.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

/// The sheet Results: what simulations gave, and from `goodput` to `energy` formulas.
namespace result_column {
enum Column : std::size_t {
  model,
  cluster,
  nodes,
  GPUs,
  stage,
  micro_batch,
  accumulation,
  recompute,
  memory_GB,
  compute_s,
  exposed_s,
  step_s,
  interval_low_s,
  interval_high_s,
  tokens_per_s,
  samples_per_s,
  mfu,
  scaling_factor,
  goodput,
  days,
  cost,
  cost_per_Btok,
  energy_MWh,
  best,
  beyond_fit,
  end_of_results
};
}  // namespace result_column
constexpr std::size_t first_result_line = 2;  // above are names and units

/// The data of the sheets that follow the assumptions.
struct Planned {
  const Scenario& scenario;
  const CellNames& cells;
  std::vector<const PlanRow*> rows;  ///< the simulated ones
};

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

/// The best rows are shown; the filter shows the others.
void filter_results(lxw_worksheet* results, std::size_t rows) {
  using namespace result_column;
  worksheet_autofilter(results, first_result_line - 1, 0, static_cast<lxw_row_t>(rows + first_result_line - 1),
                       end_of_results - 1);
  char best_value[] = "yes";
  lxw_filter_rule rule{};
  rule.criteria = LXW_FILTER_CRITERIA_EQUAL_TO;
  rule.value_string = best_value;
  worksheet_filter_column(results, best, &rule);
}

void write_result_titles(Spreadsheet& book, lxw_worksheet* sheet, const std::string& currency) {
  using namespace result_column;
  const std::pair<const char*, std::string> titles[]{{"model", ""},
                                                     {"cluster", ""},
                                                     {"nodes", ""},
                                                     {"GPUs", ""},
                                                     {"stage", ""},
                                                     {"micro_batch", "sequences"},
                                                     {"accumulation", "micro-steps"},
                                                     {"recompute", ""},
                                                     {"memory_GB", "1e9 bytes"},
                                                     {"compute_s", "s"},
                                                     {"exposed_s", "s"},
                                                     {"step_s", "s"},
                                                     {"interval_low_s", "s"},
                                                     {"interval_high_s", "s"},
                                                     {"tokens_per_s", "1 / s"},
                                                     {"samples_per_s", "1 / s"},
                                                     {"mfu", "share"},
                                                     {"scaling_factor", "per GPU"},
                                                     {"goodput", "share"},
                                                     {"days", "days"},
                                                     {"cost", currency},
                                                     {"cost_per_Btok", currency},
                                                     {"energy_MWh", "MWh"},
                                                     {"best", ""},
                                                     {"beyond_fit", ""}};
  static_assert(std::size(titles) == end_of_results);
  for (std::size_t c = 0; c < std::size(titles); ++c) {
    Spreadsheet::text(sheet, 0, c, titles[c].first, c < nodes ? book.heading() : book.number_heading());
    Spreadsheet::text(sheet, 1, c, titles[c].second);
  }
}

void write_result(Spreadsheet& book, lxw_worksheet* sheet, const Planned& planned, const PlanRow& row,
                  std::size_t line) {
  using namespace result_column;
  const auto& names = planned.cells;
  const auto& of_cluster = names.clusters[row.cluster];
  const auto yes_or_no = [](bool truth) { return truth ? "yes" : "no"; };
  Spreadsheet::text(sheet, line, model, planned.scenario.models[row.model].name);
  Spreadsheet::text(sheet, line, cluster, planned.scenario.clusters[row.cluster].name);
  for (const auto& [column, value] : {std::pair<Column, double>{nodes, row.nodes},
                                      {GPUs, row.ranks},
                                      {stage, row.stage},
                                      {micro_batch, row.micro_batch},
                                      {accumulation, row.accumulation}})
    Spreadsheet::number(sheet, line, column, value, book.whole());
  Spreadsheet::text(sheet, line, recompute, yes_or_no(row.recompute));
  Spreadsheet::text(sheet, line, best, yes_or_no(row.is_best));
  Spreadsheet::text(sheet, line, beyond_fit, yes_or_no(row.is_beyond_fit));
  for (const auto& [column, value] : {std::pair{memory_GB, row.memory_GB},
                                      {compute_s, row.compute_s},
                                      {exposed_s, row.exposed_s},
                                      {step_s, row.step_s},
                                      {tokens_per_s, row.tokens_per_s},
                                      {samples_per_s, row.samples_per_s},
                                      {mfu, row.mfu},
                                      {scaling_factor, row.scaling_factor}})
    Spreadsheet::number(sheet, line, column, value, book.figure());
  if (row.interval_low_s) Spreadsheet::number(sheet, line, interval_low_s, *row.interval_low_s, book.figure());
  if (row.interval_high_s) Spreadsheet::number(sheet, line, interval_high_s, *row.interval_high_s, book.figure());
  const auto at = [&](Column column) { return cell_at(column, line); };
  const auto put = [&](Column column, const std::string& formula, double now) {
    Spreadsheet::formula(sheet, line, column, "=" + formula, now, book.figure());
  };
  put(goodput, goodput_formula(of_cluster, at(nodes)), row.goodput);
  put(days, days_formula(names, of_cluster, {at(tokens_per_s), at(GPUs), at(nodes)}), row.days);
  put(cost, cost_formula(of_cluster, at(days), at(GPUs)), row.cost);
  put(cost_per_Btok, fmt::format("{}/({}/1E9)", at(cost), names.tokens), row.cost_per_Btok);
  put(energy_MWh, energy_MWh_formula(of_cluster, at(days), at(GPUs)), row.energy_MWh);
}

void write_results(Spreadsheet& book, lxw_worksheet* sheet, const Planned& planned) {
  using namespace result_column;
  worksheet_freeze_panes(sheet, first_result_line, stage);
  Spreadsheet::set_width(sheet, 0, 1, 16);
  Spreadsheet::set_width(sheet, 2, end_of_results - 1, 13);
  worksheet_repeat_rows(sheet, 0, first_result_line - 1);
  worksheet_repeat_columns(sheet, 0, nodes);
  worksheet_fit_to_pages(sheet, 2, 0);
  write_result_titles(book, sheet, planned.scenario.currency);
  for (std::size_t i = 0; i < planned.rows.size(); ++i) {
    const auto line = first_result_line + i;
    write_result(book, sheet, planned, *planned.rows[i], line);
    if (planned.rows[i]->is_best) continue;
    lxw_row_col_options hidden{};
    hidden.hidden = 1;
    worksheet_set_row_opt(sheet, static_cast<lxw_row_t>(line), LXW_DEF_ROW_HEIGHT, nullptr, &hidden);
  }
  filter_results(sheet, planned.rows.size());
}

void write_sources(lxw_worksheet* sources, Spreadsheet& book, const Scenario& scenario) {
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
    auto* assumptions = book.sheet("Assumptions");
    auto* sensitivity = book.sheet("Sensitivity");
    auto* best = book.sheet("Best");
    auto* results = book.sheet("Results");
    auto* sources = book.sheet("Sources");
    const VariantsSheet variants(book, scenario, rows);
    const auto cells = write_assumptions(book, assumptions, scenario, variants);
    Planned planned{scenario, cells, {}};
    for (const auto& row : rows) {
      if (row.is_simulated) planned.rows.push_back(&row);
    }
    const auto answers = answers_of(scenario, rows);
    const auto answered = write_answer(book, answer, variants, scenario, cells, rows, answers);
    write_sensitivity(book, sensitivity, variants, scenario, cells, answers, answered);
    write_best(book, best, planned);
    write_results(book, results, planned);
    write_sources(sources, book, scenario);
    book.close();
  });
}

}  // namespace ringmark::analysis
