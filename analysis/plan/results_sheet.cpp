#include "analysis/plan/results_sheet.hpp"

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

bool is_a_cost(std::size_t column) { return column == result_column::cost || column == result_column::cost_per_Btok; }

/// The best rows are shown; the filter shows the others.
void filter_results(Sheet results, std::size_t rows) {
  using namespace result_column;
  worksheet_autofilter(results.raw(), first_result_line - 1, 0, static_cast<lxw_row_t>(rows + first_result_line - 1),
                       end_of_results - 1);
  char best_value[] = "yes";
  lxw_filter_rule rule{};
  rule.criteria = LXW_FILTER_CRITERIA_EQUAL_TO;
  rule.value_string = best_value;
  worksheet_filter_column(results.raw(), best, &rule);
}

void write_result_titles(Sheet sheet, const std::string& currency, bool has_prices) {
  using namespace result_column;
  const std::pair<const char*, std::string> titles[]{{"model", ""},
                                                     {"cluster", ""},
                                                     {"nodes", ""},
                                                     {"GPUs", ""},
                                                     {"stage", ""},
                                                     {"sharding", "how states are sharded"},
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
    if (is_a_cost(c) && !has_prices) continue;
    sheet.text(0, c, titles[c].first, c < nodes ? Style::heading : Style::number_heading);
    sheet.text(1, c, titles[c].second);
  }
}

void write_result(Sheet sheet, const Planned& planned, const PlanRow& row, std::size_t line) {
  using namespace result_column;
  const auto& names = planned.cells;
  const auto& of_cluster = names.clusters[row.cluster];
  const auto yes_or_no = [](bool truth) { return truth ? "yes" : "no"; };
  sheet.text(line, model, planned.scenario.models[row.model].name);
  sheet.text(line, cluster, planned.scenario.clusters[row.cluster].name);
  for (const auto& [column, value] : {std::pair<Column, double>{nodes, row.nodes},
                                      {GPUs, row.ranks},
                                      {stage, row.stage},
                                      {micro_batch, row.micro_batch},
                                      {accumulation, row.accumulation}})
    sheet.number(line, column, value, Style::whole);
  sheet.text(line, sharding, sharding_words(row.framework, row.sharding()));
  sheet.text(line, recompute, name(row.recompute));
  sheet.text(line, best, yes_or_no(row.is_best));
  sheet.text(line, beyond_fit, yes_or_no(row.is_beyond_fit));
  for (const auto& [column, value] : {std::pair{memory_GB, row.memory_GB},
                                      {compute_s, row.compute_s},
                                      {exposed_s, row.exposed_s},
                                      {step_s, row.step_s},
                                      {tokens_per_s, row.tokens_per_s},
                                      {samples_per_s, row.samples_per_s},
                                      {mfu, row.mfu},
                                      {scaling_factor, row.scaling_factor}})
    sheet.number(line, column, value, Style::figure);
  if (row.interval_low_s) sheet.number(line, interval_low_s, *row.interval_low_s, Style::figure);
  if (row.interval_high_s) sheet.number(line, interval_high_s, *row.interval_high_s, Style::figure);
  const auto at = [&](Column column) { return cell_at(column, line); };
  const auto put = [&](Column column, const std::string& formula, double now) {
    sheet.formula(line, column, "=" + formula, now, Style::figure);
  };
  put(goodput, goodput_formula(of_cluster, at(nodes)), row.goodput);
  put(days, days_formula(names, of_cluster, {at(tokens_per_s), at(GPUs), at(nodes)}), row.days);
  if (planned.scenario.has_prices()) {
    put(cost, cost_formula(of_cluster, at(days), at(GPUs)), row.cost);
    put(cost_per_Btok, fmt::format("{}/({}/1E9)", at(cost), names.tokens), row.cost_per_Btok);
  }
  put(energy_MWh, energy_formula(of_cluster, at(days), at(GPUs)), row.energy_MWh);
}

}  // namespace

void write_results(Sheet sheet, const Planned& planned) {
  using namespace result_column;
  worksheet_freeze_panes(sheet.raw(), first_result_line, stage);
  sheet.set_width(0, 1, 16);
  const bool has_prices = planned.scenario.has_prices();
  for (std::size_t column = nodes; column < end_of_results; ++column) {
    if (is_a_cost(column) && !has_prices)
      sheet.hide_column(column);
    else
      sheet.set_width(column, column, 13);
  }
  sheet.set_width(sharding, sharding, 26);
  worksheet_repeat_rows(sheet.raw(), 0, first_result_line - 1);
  worksheet_repeat_columns(sheet.raw(), 0, nodes);
  worksheet_fit_to_pages(sheet.raw(), 2, 0);
  write_result_titles(sheet, planned.scenario.currency, has_prices);
  for (std::size_t i = 0; i < planned.simulated.size(); ++i) {
    const auto line = first_result_line + i;
    write_result(sheet, planned, *planned.simulated[i], line);
    if (planned.simulated[i]->is_best) continue;
    lxw_row_col_options hidden{};
    hidden.hidden = 1;
    worksheet_set_row_opt(sheet.raw(), static_cast<lxw_row_t>(line), LXW_DEF_ROW_HEIGHT, nullptr, &hidden);
  }
  filter_results(sheet, planned.simulated.size());
}

}  // namespace ringmark::analysis
