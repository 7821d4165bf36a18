#include "analysis/plan/places_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/plan/order.hpp"
#include "analysis/plan/words.hpp"

namespace ringmark::analysis {

void PlacesTable::write() {
  write_heading(first_ - 1);
  for (std::size_t place = 0; place < variants_.places().size(); ++place) write_place(place);
}

std::size_t PlacesTable::before_model(std::size_t model) const {
  const auto& places = variants_.places();
  const auto begin =
      std::find_if(places.begin(), places.end(), [&](const auto& each) { return each.where[0] == model; });
  return static_cast<std::size_t>(begin - places.begin());
}

std::string PlacesTable::of_model(std::size_t column, std::size_t model) const {
  const auto from = first_ + before_model(model);
  const auto count = scenario_.clusters.size() * scenario_.nodes.size();
  return "Answer!" + cell_at(column, from) + ":" + cell_at(column, from + count - 1);
}

void PlacesTable::write_heading(std::size_t line) {
  const auto& currency = scenario_.currency;
  const std::string titles[]{"model",
                             "cluster",
                             "nodes",
                             "GPUs",
                             "days",
                             "days, 5 % below",
                             "days, 95 % below",
                             "cost (" + currency + ")",
                             "cost, 95 % below (" + currency + ")",
                             "expected cost (" + currency + ")",
                             "per 1e9 tokens (" + currency + ")",
                             "energy (MWh)",
                             "MFU",
                             "goodput",
                             "configuration",
                             "order",
                             "hardware",
                             "tokens/s",
                             "price",
                             "expected spending",
                             "days, 25 % below",
                             "days, 75 % below",
                             "days, certain",
                             "cost, certain",
                             "deadline met",
                             "budget met",
                             "failures, below",
                             "failures, above",
                             "price, below",
                             "price, above",
                             "step",
                             "",
                             "",
                             "spread of days"};
  Spreadsheet::make_high(sheet_, line, 3);
  for (std::size_t c = 0; c < std::size(titles); ++c) {
    if (is_money(c) && !scenario_.has_prices()) continue;
    Spreadsheet::text(sheet_, line, c, titles[c],
                      c == in_configuration ? book_.indented_heading()
                      : c < in_nodes        ? book_.heading()
                                            : book_.number_heading());
  }
  Spreadsheet::text(sheet_, line, in_cost_spread, "spread of cost", book_.number_heading());
}

void PlacesTable::write_place(std::size_t place) {
  const auto& [model, cluster, nodes] = variants_.places()[place].where;
  const auto best = variants_.best(place, 0);
  const Line line{place, first_ + place, best ? &*best : nullptr};
  Spreadsheet::text(sheet_, line.line, in_model, scenario_.models[model].name);
  Spreadsheet::text(sheet_, line.line, in_cluster, scenario_.clusters[cluster].name);
  Spreadsheet::number(sheet_, line.line, in_nodes, scenario_.nodes[nodes], book_.whole());
  Spreadsheet::number(sheet_, line.line, in_GPUs, scenario_.nodes[nodes] * scenario_.clusters[cluster].gpus_per_node,
                      book_.whole());
  write_step(line);
  const auto cells = selected(line);
  write_values(line, cells);
  write_ranges(line, cells);
  write_quantiles(line);
  write_order(line);
}

void PlacesTable::number(const Line& line, std::size_t column, const std::string& formula, double now,
                         lxw_format* format) {
  if (is_money(column) && !scenario_.has_prices()) return;
  Spreadsheet::formula(sheet_, line.line, column, fmt::format("=IF(ISNUMBER({}),{},\"\")", line.at(in_rate), formula),
                       line.best != nullptr ? std::optional(now) : std::nullopt, format);
}

void PlacesTable::write_step(const Line& line) {
  const auto& of_place = variants_.places()[line.place];
  std::string list;
  for (const auto& name : variants_.names()) list += (list.empty() ? "" : ",") + quoted(name);
  Spreadsheet::formula(sheet_, line.line, in_variant,
                       fmt::format("=MATCH({},{{{}}},0)", names_.clusters[of_place.where[1]].hardware, list), 1,
                       book_.whole());
  const auto row = line.best != nullptr ? *line.best : PlanRow{};
  const auto take = [&](std::size_t column, VariantsSheet::Column from, double now) {
    const auto formula = variants_.cell(line.place, from, line.at(in_variant));
    Spreadsheet::formula(sheet_, line.line, column, fmt::format("=IF(ISNUMBER({0}),{0},\"\")", formula),
                         line.best != nullptr ? std::optional(now) : std::nullopt,
                         column == in_mfu ? book_.percent() : book_.figure());
  };
  take(in_rate, VariantsSheet::tokens_per_s, row.tokens_per_s);
  take(in_step_spread + of_mean, VariantsSheet::mean, row.of_step.mean);
  take(in_step_spread + of_variance, VariantsSheet::variance, row.of_step.variance);
  take(in_step_spread + of_third, VariantsSheet::third, row.of_step.third);
  take(in_mfu, VariantsSheet::mfu, row.mfu);
  const auto reason = of_place.rows.empty() ? misfit_words(scenario_, nearest_to_fit(rows_, of_place)) : "nothing fits";
  const auto words = variants_.cell(line.place, VariantsSheet::words, line.at(in_variant));
  Spreadsheet::formula_text(sheet_, line.line, in_configuration,
                            fmt::format("=IF(ISNUMBER({}),{},{})", line.at(in_rate), words, quoted(reason)),
                            line.best != nullptr ? configuration_words(scenario_, row) : reason, book_.indented());
}

/// Other GPUs have a price and a power of their own.
CellNames::Cluster PlacesTable::selected(const Line& line) const {
  const auto cluster = variants_.places()[line.place].where[1];
  auto cells = names_.clusters[cluster];
  const auto& next = scenario_.clusters[cluster].next;
  if (!next) return cells;
  const auto with_next = [&](const std::string& other, const std::string& own) {
    return fmt::format("IF({}={},{},{})", line.at(in_variant), variants_.names().size(), other, own);
  };
  cells.price = with_next(cells.next_price, cells.price);
  cells.price_ends = {with_next(cells.next_price_ends.low, cells.price_ends.low),
                      with_next(cells.next_price_ends.high, cells.price_ends.high)};
  if (cells.reserved_price != "0") {
    cells.reserved_GPUs = with_next("0", cells.reserved_GPUs);
    cells.reserved_share = with_next("0", cells.reserved_share);
  }
  cells.power = with_next(constant(next->power_kW_per_GPU), cells.power);
  return cells;
}

void PlacesTable::write_values(const Line& line, const CellNames::Cluster& cells) {
  const auto row = line.best != nullptr ? *line.best : PlanRow{};
  number(line, in_goodput, goodput_formula(cells, line.at(in_nodes)), row.goodput, book_.percent());
  number(line, in_days, days_formula(names_, cells, {line.at(in_rate), line.at(in_GPUs), line.at(in_nodes)}), row.days,
         book_.tenth());
  number(line, in_price, price_formula(cells, line.at(in_GPUs)), row.price_per_GPU_hour, book_.hundredth());
  number(line, in_cost, cost_formula(cells, line.at(in_days), line.at(in_GPUs)), row.cost, book_.whole());
  number(line, in_per_Btok, fmt::format("{}/({}/1E9)", line.at(in_cost), names_.tokens), row.cost_per_Btok,
         book_.hundredth());
  number(line, in_energy, energy_formula(cells, line.at(in_days), line.at(in_GPUs)), row.energy_MWh, book_.tenth());
}

void PlacesTable::write_spread(const Line& line, std::size_t first, const CumulantCells& cells, const Cumulants& now) {
  const auto put = [&](std::size_t column, const std::string& formula, double value) {
    number(line, first + column, formula, value, book_.figure());
  };
  const CumulantCells cumulants{line.at(first + of_mean), line.at(first + of_variance), line.at(first + of_third)};
  put(of_mean, cells.mean, now.mean);
  put(of_variance, cells.variance, now.variance);
  put(of_third, cells.third, now.third);
  const auto spread_now = spread_of(now);
  put(of_asymmetry, asymmetry_formula(cumulants), spread_now.above - spread_now.below);
  const auto spread = spread_formula(cumulants, line.at(first + of_asymmetry));
  put(of_shift, spread.shift, spread_now.shift);
  put(of_below, spread.below, spread_now.below);
  put(of_above, spread.above, spread_now.above);
}

void PlacesTable::write_ranges(const Line& line, const CellNames::Cluster& cells) {
  const auto row = line.best != nullptr ? *line.best : PlanRow{};
  const auto& cluster = scenario_.clusters[variants_.places()[line.place].where[1]];
  const auto goodput_with = [&](const std::string& mtbf_hours) {
    auto changed = cells;
    changed.mtbf_hours = mtbf_hours;
    return goodput_formula(changed, line.at(in_nodes));
  };
  const auto scatter = [&](std::size_t column, const std::string& numerator, const std::string& denominator,
                           double now) {
    number(line, column, scatter_formula(fmt::format("({})/({})", numerator, denominator)), now, book_.figure());
  };
  const auto failures = scatters_of(failure_range(cluster.failures, row.nodes));
  scatter(in_failures_below, goodput_with(cells.mtbf_ends.high), line.at(in_goodput), failures.below);
  scatter(in_failures_above, line.at(in_goodput), goodput_with(cells.mtbf_ends.low), failures.above);
  const auto price_with = [&](const std::string& price_of_others) {
    auto changed = cells;
    changed.price = price_of_others;
    return price_formula(changed, line.at(in_GPUs));
  };
  const auto price = scatters_of(price_range(cluster, row.nodes));
  scatter(in_price_below, line.at(in_price), price_with(cells.price_ends.low), price.below);
  scatter(in_price_above, price_with(cells.price_ends.high), line.at(in_price), price.above);
  const auto all = [&](std::size_t first) {
    return CumulantCells{line.at(first + of_mean), line.at(first + of_variance), line.at(first + of_third)};
  };
  write_spread(line, in_days_spread,
               all(in_step_spread) + cumulants_formula(line.at(in_failures_below), line.at(in_failures_above)),
               row.of_days);
  write_spread(line, in_cost_spread,
               all(in_days_spread) + cumulants_formula(line.at(in_price_below), line.at(in_price_above)), row.of_cost);
}

/// The quantiles and probabilities that follow from the spreads; empty for a cluster without a device.
void PlacesTable::write_quantiles(const Line& line) {
  const auto row = line.best != nullptr ? *line.best : PlanRow{};
  const Choice choice{&row};
  const bool has_range = scenario_.clusters[variants_.places()[line.place].where[1]].device.has_value();
  const auto certainty =
      fmt::format("MIN(MAX({},{}),{})", names_.certainty, constant(least_certainty), constant(most_certainty));
  const auto put = [&](std::size_t column, std::size_t of, std::size_t spread, const std::string& probability,
                       double now, lxw_format* format) {
    const auto factor = has_range ? quantile_formula(line.spread(spread), probability)
                        : column == in_days_sure || column == in_cost_sure ? constant(Estimate::unbounded)
                                                                           : "1";
    number(line, column, line.at(of) + "*" + factor, now, format);
  };
  const auto days = choice.days(), cost = choice.cost();
  put(in_days_low, in_days, in_days_spread, "0.05", days.range().low, book_.tenth());
  put(in_days_high, in_days, in_days_spread, "0.95", days.range().high, book_.tenth());
  put(in_days_quarter, in_days, in_days_spread, "0.25", days.range(0.5).low, book_.figure());
  put(in_days_three_quarters, in_days, in_days_spread, "0.75", days.range(0.5).high, book_.figure());
  put(in_cost_high, in_cost, in_cost_spread, "0.95", cost.range().high, book_.whole());
  put(in_days_sure, in_days, in_days_spread, certainty, days.not_exceeded(scenario_.certainty), book_.figure());
  put(in_cost_sure, in_cost, in_cost_spread, certainty, cost.not_exceeded(scenario_.certainty), book_.figure());
  number(line, in_expected, line.at(in_cost) + "*" + mean_formula(line.spread(in_cost_spread)), row.expected_cost,
         book_.whole());
  number(line, in_spending,
         fmt::format("IF({0}>0,{0},{1}*{2}*{3})", line.at(in_expected), line.at(in_days), line.at(in_GPUs),
                     mean_formula(line.spread(in_days_spread))),
         expected_spending(row), book_.figure());
}

/// The probabilities of the limits, and the order that follows.
void PlacesTable::write_order(const Line& line) {
  const auto row = line.best != nullptr ? *line.best : PlanRow{};
  const Choice choice{&row};
  const bool has_range = scenario_.clusters[variants_.places()[line.place].where[1]].device.has_value();
  const auto met = [&](PlaceColumn column, const Estimate& value, PlaceColumn of, PlaceColumn spread,
                       const std::string& limit, const std::optional<double>& limit_now) {
    const auto formula = probability_formula(line.spread(spread), fmt::format("{}/{}", limit, line.at(of)));
    const auto now = limit_now && line.best != nullptr ? value.probability_below(*limit_now) : std::nullopt;
    Spreadsheet::formula(
        sheet_, line.line, column,
        has_range ? fmt::format("=IF(AND(ISNUMBER({}),{}>0),{},\"\")", line.at(in_rate), limit, formula) : "=\"\"", now,
        book_.percent());
  };
  met(in_deadline_met, choice.days(), in_days, in_days_spread, names_.deadline, scenario_.deadline_days);
  met(in_budget_met, choice.cost(), in_cost, in_cost_spread, names_.budget, scenario_.budget);
  const auto order = order_by<Formulas>({.days = line.at(in_days),
                                         .cost = line.at(in_cost),
                                         .expected = line.at(in_spending),
                                         .days_sure = line.at(in_days_sure),
                                         .cost_sure = line.at(in_cost_sure),
                                         .deadline = names_.deadline,
                                         .budget = names_.budget});
  number(line, in_order, order, line.best != nullptr ? order_of(scenario_, choice) : 0, book_.figure());
}

}  // namespace ringmark::analysis
