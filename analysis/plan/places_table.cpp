#include "analysis/plan/places_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/order.hpp"

namespace ringmark::analysis {

PlacesTable::PlacesTable(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario, const CellNames& names,
                         const std::vector<PlanRow>& rows, std::size_t first)
    : book_(book),
      sheet_(sheet),
      scenario_(scenario),
      names_(names),
      rows_(rows),
      places_(places_of(rows)),
      first_(first) {}

void PlacesTable::write() {
  write_heading(first_ - 1);
  for (std::size_t i = 0; i < places_.size(); ++i) write_place(places_[i], first_ + i);
}

std::string PlacesTable::cell(std::size_t column, std::size_t line) {
  return fmt::format("${}${}", column_letter(column), line + 1);
}

std::string PlacesTable::of_model(PlaceColumn column, std::size_t model) const {
  const auto is_of = [&](const PlanPlace& place) { return place.where[0] == model; };
  const auto begin = std::find_if(places_.begin(), places_.end(), is_of);
  const auto from = first_ + static_cast<std::size_t>(begin - places_.begin());
  const auto count = static_cast<std::size_t>(std::count_if(places_.begin(), places_.end(), is_of));
  return cell(column, from) + ":" + cell(column, from + count - 1);
}

AnswerCells PlacesTable::cells_of(const PlanRow& row) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto& place = places_[i];
    if (place.rows.empty() || &rows_[place.rows.front()] != &row) continue;
    const auto of = [&](std::size_t column) { return cell(column, first_ + i); };
    return {of(in_cluster), of(in_nodes), of(in_days), of(in_cost), of(in_per_Btok), of(result_line), 0};
  }
  return {};
}

void PlacesTable::write_heading(std::size_t line) {
  const std::string titles[]{"model",
                             "cluster",
                             "nodes",
                             "line of Results",
                             "stage",
                             "recompute",
                             "micro-batch",
                             "days",
                             "days, low",
                             "days, high",
                             "cost (" + scenario_.currency + ")",
                             "cost, high (" + scenario_.currency + ")",
                             "per 1e9 tokens (" + scenario_.currency + ")",
                             "MFU",
                             "goodput",
                             "order"};
  Spreadsheet::make_high(sheet_, line);
  for (std::size_t c = 0; c < std::size(titles); ++c)
    Spreadsheet::text(sheet_, line, c, titles[c], c < in_nodes ? book_.heading() : book_.number_heading());
}

/// A line of the best configuration of a place; its line in Results is found again when assumptions change.
void PlacesTable::write_place(const PlanPlace& place, std::size_t line) {
  const auto& [model, cluster, nodes] = place.where;
  const PlanRow* row = place.rows.empty() ? nullptr : &rows_[place.rows.front()];
  Spreadsheet::text(sheet_, line, in_model, scenario_.models[model].name);
  Spreadsheet::text(sheet_, line, in_cluster, scenario_.clusters[cluster].name);
  Spreadsheet::formula(sheet_, line, in_nodes, "=" + names_.nodes[nodes], scenario_.nodes[nodes], book_.whole());
  const auto all = [&](std::size_t column) { return result_range(column, rows_.size()); };
  const auto here = cell(result_line, line);
  // MATCH over products of conditions needs an array; SUMPRODUCT and MAX make do without one. The first best one.
  const auto fewest = static_cast<double>(row != nullptr ? place.rows.front() + 1 : 0);
  Spreadsheet::formula(
      sheet_, line, result_line,
      fmt::format("=IF(COUNTIFS({0},{1},{2},{3},{4},{5},{6},1)=0,0,_xlfn.MINIFS({7},{0},{1},{2},{3},{4},{5},{6},1))",
                  all(result_column::model), cell(in_model, line), all(result_column::cluster), cell(in_cluster, line),
                  all(result_column::nodes), cell(in_nodes, line), all(result_column::best),
                  all(result_column::number)),
      fewest, book_.whole());
  const auto take = [&](std::size_t column, std::size_t from, std::optional<double> now, lxw_format* format,
                        const std::string& times = "") {
    Spreadsheet::formula(sheet_, line, column, fmt::format("=IF({0}=0,\"\",INDEX({1},{0}){2})", here, all(from), times),
                         now, format);
  };
  const auto now = [&](double value) { return row != nullptr ? std::optional(value) : std::nullopt; };
  const PlanRow none{};
  const auto& shown = row != nullptr ? *row : none;
  const Choice choice{&shown};
  take(in_stage, result_column::stage, now(shown.stage), book_.whole());
  take(in_recompute, result_column::recompute, now(shown.recompute ? 1 : 0), book_.whole());
  take(in_micro_batch, result_column::micro_batch, now(shown.micro_batch), book_.whole());
  take(in_days, result_column::days, now(shown.days), book_.tenth());
  const auto end = [&](std::size_t column) {
    const auto interval = fmt::format("INDEX({},{})", all(column), here);
    return fmt::format("*IF(ISNUMBER({0}),{0}/INDEX({1},{2}),1)", interval, all(result_column::step_s), here);
  };
  const auto low = end(result_column::interval_low_s), high = end(result_column::interval_high_s);
  take(in_days_low, result_column::days, now(choice.range(shown.days).low), book_.tenth(), low);
  take(in_days_high, result_column::days, now(choice.range(shown.days).high), book_.tenth(), high);
  take(in_cost, result_column::cost, now(shown.cost), book_.whole());
  take(in_cost_high, result_column::cost, now(choice.range(shown.cost).high), book_.whole(), high);
  take(in_per_Btok, result_column::cost_per_Btok, now(shown.cost_per_Btok), book_.hundredth());
  take(in_mfu, result_column::mfu, now(shown.mfu), book_.percent());
  take(in_goodput, result_column::goodput, now(shown.goodput), book_.percent());
  write_order(line, row != nullptr ? std::optional(choice) : std::nullopt);
}

void PlacesTable::write_order(std::size_t line, const std::optional<Choice>& choice) {
  const auto at = [&](PlaceColumn column) { return cell(column, line); };
  const auto cost_or_time = fmt::format("IF({0}>0,{0},{1}*INDEX({2},{3}))", at(in_cost), at(in_days),
                                        result_range(result_column::ranks, rows_.size()), at(result_line));
  const auto order = order_by<Formulas>({.days = at(in_days),
                                         .cost = cost_or_time,
                                         .days_high = at(in_days_high),
                                         .cost_high = at(in_cost_high),
                                         .deadline = names_.deadline,
                                         .budget = names_.budget});
  Spreadsheet::formula(sheet_, line, in_order, fmt::format("=IF({}=0,\"\",{})", at(result_line), order),
                       choice ? std::optional(order_of(scenario_, *choice)) : std::nullopt, book_.figure());
}

}  // namespace ringmark::analysis
