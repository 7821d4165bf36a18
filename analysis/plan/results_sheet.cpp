#include "analysis/plan/results_sheet.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/row_columns.hpp"

namespace ringmark::analysis {
namespace {

/// The configuration of a line, with expressions for its cells.
struct ResultLine {
  const CellNames& names;
  const CellNames::Cluster& cluster;
  std::size_t line;
  std::string at(std::string_view name) const { return cell_at(result_column(name), line); }
};
using Line = const ResultLine&;

/// A value of the row with the same name, or a formula.
struct ResultColumn {
  const char* name;
  const char* unit;  ///< null: the currency
  Style style = Style::figure;
  std::string (*formula)(Line at) = nullptr;

  bool is_cost() const { return unit == nullptr; }
};
const ResultColumn result_columns[]{
    {"model", ""},
    {"cluster", ""},
    {"nodes", "", Style::whole},
    {"GPUs", "", Style::whole},
    {"stage", "", Style::whole},
    {"sharding", "how states are sharded"},
    {"micro_batch", "sequences", Style::whole},
    {"accumulation", "micro-steps", Style::whole},
    {"recompute", ""},
    {"memory_GB", "1e9 bytes"},
    {"compute_s", "s"},
    {"exposed_s", "s"},
    {"step_s", "s"},
    {"median_s", "s"},
    {"interval_low_s", "s"},
    {"interval_high_s", "s"},
    {"tokens_per_s", "1 / s"},
    {"samples_per_s", "1 / s"},
    {"mfu", "share"},
    {"scaling_factor", "per GPU"},
    {"goodput", "share", Style::figure, [](Line l) { return goodput_formula(l.cluster, l.at("nodes")); }},
    {"days", "days", Style::figure,
     [](Line l) {
       return days_formula(l.names, l.cluster, {l.at("tokens_per_s"), l.at("GPUs"), l.at("nodes")});
     }},
    {"cost", nullptr, Style::figure,
     [](Line l) {
       return fmt::format("IF({},{},\"\")", l.cluster.has_price, cost_formula(l.cluster, l.at("days"), l.at("GPUs")));
     }},
    {"cost_per_Btok", nullptr, Style::figure,
     [](Line l) { return fmt::format("{}/({}/1E9)", l.at("cost"), l.names.tokens); }},
    {"energy_MWh", "MWh", Style::figure, [](Line l) { return energy_formula(l.cluster, l.at("days"), l.at("GPUs")); }},
    {"best", ""},
    {"beyond_fit", ""}};

/// The best rows are shown; the filter shows the others.
void filter_results(Sheet sheet, std::size_t rows) {
  worksheet_autofilter(sheet.raw(), first_result_line - 1, 0, static_cast<lxw_row_t>(rows + first_result_line - 1),
                       std::size(result_columns) - 1);
  char best_value[] = "yes";
  lxw_filter_rule rule{};
  rule.criteria = LXW_FILTER_CRITERIA_EQUAL_TO;
  rule.value_string = best_value;
  worksheet_filter_column(sheet.raw(), static_cast<lxw_col_t>(result_column("best")), &rule);
}

void write_result(Sheet sheet, const Planned& planned, const PlanRow& row, std::size_t line) {
  for (std::size_t c = 0; c < std::size(result_columns); ++c) {
    const auto& column = result_columns[c];
    const std::string_view name = column.name;
    const auto value = row_value(name == "GPUs" ? "ranks" : name, planned.scenario, row);
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr && column.formula != nullptr)
      sheet.formula(
          line, c,
          fmt::format("=IFERROR({},\"\")", column.formula({planned.cells, planned.cells.clusters[row.cluster], line})),
          *number, column.style);
    else if (number != nullptr)
      sheet.number(line, c, *number, column.style);
    else if (const auto* truth = std::get_if<bool>(&value))
      sheet.text(line, c, *truth ? "yes" : "no");
    else if (const auto* text = std::get_if<std::string>(&value))
      sheet.text(line, c, *text);
  }
}

}  // namespace

std::size_t result_column(std::string_view name) {
  const auto is_it = [&](const ResultColumn& each) { return each.name == name; };
  return static_cast<std::size_t>(std::find_if(std::begin(result_columns), std::end(result_columns), is_it) -
                                  std::begin(result_columns));
}

void write_results(Sheet sheet, const Planned& planned) {
  const auto& scenario = planned.scenario;
  const auto nodes = result_column("nodes"), sharding = result_column("sharding");
  worksheet_freeze_panes(sheet.raw(), first_result_line, static_cast<lxw_col_t>(result_column("stage")));
  sheet.set_width(0, 1, 16);
  for (std::size_t c = 0; c < std::size(result_columns); ++c) {
    const auto& column = result_columns[c];
    if (column.is_cost() && !scenario.has_prices()) {
      sheet.hide_column(c);
      continue;
    }
    if (c >= nodes) sheet.set_width(c, c, c == sharding ? 26 : 13);
    sheet.text(0, c, column.name, c < nodes ? Style::heading : Style::number_heading);
    sheet.text(1, c, column.is_cost() ? scenario.currency : column.unit);
  }
  worksheet_repeat_rows(sheet.raw(), 0, first_result_line - 1);
  worksheet_repeat_columns(sheet.raw(), 0, static_cast<lxw_col_t>(nodes));
  worksheet_fit_to_pages(sheet.raw(), 2, 0);
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
