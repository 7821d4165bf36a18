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
  sheet_.make_high(line, 3);
  for (std::size_t c = 0; c < in_step_spread; ++c) {
    if (is_money(c) && !scenario_.has_prices()) continue;
    sheet_.text(line, c, place_title(c, scenario_),
                c == in_configuration ? Style::indented_heading
                : c < in_nodes        ? Style::heading
                                      : Style::number_heading);
  }
  sheet_.text(line, in_step_spread, "step", Style::number_heading);
  sheet_.text(line, in_days_spread, "spread of days", Style::number_heading);
  sheet_.text(line, in_cost_spread, "spread of cost", Style::number_heading);
}

void PlacesTable::write_place(std::size_t place) {
  const auto& [model, cluster, nodes] = variants_.places()[place].where;
  const auto best = variants_.best(place, 0);
  const bool has_range = scenario_.clusters[cluster].device.has_value();
  const Line line{place, first_ + place, best.has_value(), has_range, best.value_or(PlanRow{})};
  sheet_.text(line.line, in_model, scenario_.models[model].name);
  write_name(line);
  sheet_.number(line.line, in_nodes, scenario_.nodes[nodes], Style::whole);
  sheet_.number(line.line, in_GPUs, scenario_.nodes[nodes] * scenario_.clusters[cluster].gpus_per_node, Style::whole);
  const auto cells = selected(line);
  write_step(line, cells);
  write_values(line, cells);
  write_ranges(line, cells);
  write_quantiles(line);
  write_order(line);
}

void PlacesTable::number(const Line& line, std::size_t column, const std::string& formula, double now, Style style) {
  if (is_money(column) && !scenario_.has_prices()) return;
  sheet_.formula(line.line, column, fmt::format("=IF(ISNUMBER({}),{},\"\")", line.at(in_rate), formula),
                 line.fits ? std::optional(now) : std::nullopt, style);
}

void PlacesTable::number(const Line& line, std::size_t column, const std::string& formula) {
  number(line, column, formula, look_of(column).now(scenario_, {&line.row}).value_or(0), look_of(column).style);
}

/// The cluster, with its next device if that is selected.
void PlacesTable::write_name(const Line& line) {
  const auto cluster = variants_.places()[line.place].where[1];
  const auto& name = scenario_.clusters[cluster].name;
  if (!scenario_.clusters[cluster].next) return sheet_.text(line.line, in_cluster, name);
  const auto with_next = variants_of(scenario_, cluster).back().cluster.name;
  sheet_.formula_text(
      line.line, in_cluster,
      fmt::format("=IF({}={},{},{})", line.at(in_variant), variants_.names().size(), quoted(with_next), quoted(name)),
      name);
}

void PlacesTable::write_step(const Line& line, const CellNames::Cluster& cells) {
  const auto& of_place = variants_.places()[line.place];
  const auto number = number_formula(names_.clusters[of_place.where[1]].hardware, variants_.names());
  sheet_.formula(line.line, in_variant, "=" + number, 1, Style::whole);
  const auto take = [&](std::size_t column, VariantsSheet::Column from, double now, Style style) {
    const auto formula = variants_.cell(line.place, from, line.at(in_variant));
    sheet_.formula(line.line, column, fmt::format("=IF(ISNUMBER({0}),{0},\"\")", formula),
                   line.fits ? std::optional(now) : std::nullopt, style);
  };
  const auto has_training = fmt::format("N({})>0,N({})>0", names_.tokens, names_.utilisation);
  const auto rate = variants_.cell(line.place, VariantsSheet::tokens_per_s, line.at(in_variant));
  sheet_.formula(line.line, in_rate,
                 fmt::format("=IF(AND(ISNUMBER({0}),{1},{2}),{0},\"\")", rate, cells.has_price, has_training),
                 line.fits ? std::optional(line.row.tokens_per_s) : std::nullopt, Style::figure);
  take(in_step_spread + of_mean, VariantsSheet::mean, line.row.of_step.mean, Style::figure);
  take(in_step_spread + of_variance, VariantsSheet::variance, line.row.of_step.variance, Style::figure);
  take(in_step_spread + of_third, VariantsSheet::third, line.row.of_step.third, Style::figure);
  take(in_mfu, VariantsSheet::mfu, line.row.mfu, Style::percent);
  const auto reason = of_place.rows.empty() ? misfit_words(scenario_, nearest_to_fit(rows_, of_place)) : "nothing fits";
  const auto words = variants_.cell(line.place, VariantsSheet::words, line.at(in_variant));
  sheet_.formula_text(
      line.line, in_configuration,
      fmt::format("=IF(ISNUMBER({}),{},IF(NOT(ISNUMBER({})),{},IF({},{},{})))", line.at(in_rate), words, rate,
                  quoted(reason), cells.has_price, quoted("give tokens and utilisation"), quoted(no_price)),
      line.fits ? configuration_words(line.row) : reason, Style::indented);
}

/// The next device has its own price and power.
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
  cells.price_per_GPU = with_next("0", cells.price_per_GPU);
  cells.electricity = with_next("0", cells.electricity);
  cells.has_price = with_next(fmt::format("ISNUMBER({})", cells.next_price), cells.has_price);
  cells.power = with_next(constant(next->power_kW_per_GPU), cells.power);
  return cells;
}

void PlacesTable::write_values(const Line& line, const CellNames::Cluster& cells) {
  number(line, in_goodput, goodput_formula(cells, line.at(in_nodes)));
  number(line, in_days, days_formula(names_, cells, {line.at(in_rate), line.at(in_GPUs), line.at(in_nodes)}));
  number(line, in_price, price_formula(cells, line.at(in_GPUs)));
  number(line, in_cost, cost_formula(cells, line.at(in_days), line.at(in_GPUs)));
  number(line, in_per_Btok, fmt::format("{}/({}/1E9)", line.at(in_cost), names_.tokens));
  number(line, in_outlay, outlay_formula(cells, line.at(in_GPUs)));
  number(line, in_depreciation, depreciation_formula(cells, line.at(in_days), line.at(in_GPUs)));
  number(line, in_electricity, electricity_formula(cells, line.at(in_days), line.at(in_GPUs)));
  number(line, in_paid_GPUs, line.at(in_GPUs) + "+" + cells.spare_GPUs);
  number(line, in_years, cells.years);
  number(line, in_energy, energy_formula(cells, line.at(in_days), line.at(in_GPUs)));
}

void PlacesTable::write_spread(const Line& line, std::size_t first, const CumulantCells& cells, const Cumulants& now) {
  const auto put = [&](std::size_t column, const std::string& formula, double value) {
    number(line, first + column, formula, value, Style::figure);
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
  const auto goodput_with = [&](const std::string& mtbf_hours) {
    auto changed = cells;
    changed.mtbf_hours = mtbf_hours;
    return goodput_formula(changed, line.at(in_nodes));
  };
  const auto price_with = [&](const std::string& price_of_others) {
    auto changed = cells;
    changed.price = price_of_others;
    return price_formula(changed, line.at(in_GPUs));
  };
  const auto scatter = [&](std::size_t column, const std::string& numerator, const std::string& denominator) {
    number(line, column, scatter_formula(fmt::format("({})/({})", numerator, denominator)));
  };
  scatter(in_failures_below, goodput_with(cells.mtbf_ends.high), line.at(in_goodput));
  scatter(in_failures_above, line.at(in_goodput), goodput_with(cells.mtbf_ends.low));
  scatter(in_price_below, line.at(in_price), price_with(cells.price_ends.low));
  scatter(in_price_above, price_with(cells.price_ends.high), line.at(in_price));
  const auto all = [&](std::size_t first) {
    return CumulantCells{line.at(first + of_mean), line.at(first + of_variance), line.at(first + of_third)};
  };
  write_spread(line, in_days_spread,
               all(in_step_spread) + cumulants_formula(line.at(in_failures_below), line.at(in_failures_above)),
               line.row.of_days);
  write_spread(line, in_cost_spread,
               all(in_days_spread) + cumulants_formula(line.at(in_price_below), line.at(in_price_above)),
               line.row.of_cost);
}

/// The quantiles and probabilities that follow from the spreads; empty for a cluster without a device.
void PlacesTable::write_quantiles(const Line& line) {
  const auto certainty =
      fmt::format("MIN(MAX({},{}),{})", names_.certainty, constant(least_certainty), constant(most_certainty));
  const auto put = [&](std::size_t column, std::size_t of, std::size_t spread, const std::string& probability) {
    const auto factor = line.has_range ? quantile_formula(line.spread(spread), probability)
                        : column == in_days_sure || column == in_cost_sure ? constant(Estimate::unbounded)
                                                                           : "1";
    number(line, column, line.at(of) + "*" + factor);
  };
  put(in_days_low, in_days, in_days_spread, "0.05");
  put(in_days_high, in_days, in_days_spread, "0.95");
  put(in_days_quarter, in_days, in_days_spread, "0.25");
  put(in_days_three_quarters, in_days, in_days_spread, "0.75");
  put(in_cost_high, in_cost, in_cost_spread, "0.95");
  put(in_days_sure, in_days, in_days_spread, certainty);
  put(in_cost_sure, in_cost, in_cost_spread, certainty);
  number(line, in_expected, line.at(in_cost) + "*" + mean_formula(line.spread(in_cost_spread)));
  number(line, in_spending,
         scenario_.has_prices()
             ? line.at(in_expected)
             : fmt::format("{}*{}*{}", line.at(in_days), line.at(in_GPUs), mean_formula(line.spread(in_days_spread))));
}

/// The probabilities of the limits, and the order that follows.
void PlacesTable::write_order(const Line& line) {
  const auto met = [&](PlaceColumn column, PlaceColumn of, PlaceColumn spread, const std::string& limit) {
    const auto formula = probability_formula(line.spread(spread), fmt::format("{}/{}", limit, line.at(of)));
    sheet_.formula(line.line, column,
                   line.has_range ? fmt::format("=IF(AND(ISNUMBER({}),{}>0),IF({}>0,{},1),\"\")", line.at(in_rate),
                                                limit, line.at(of), formula)
                                  : "=\"\"",
                   line.fits ? look_of(column).now(scenario_, {&line.row}) : std::nullopt, Style::percent);
  };
  met(in_deadline_met, in_days, in_days_spread, names_.deadline);
  met(in_budget_met, in_cost, in_cost_spread, names_.budget);
  const Ordered<std::string> values{.days = line.at(in_days),
                                    .cost = line.at(in_cost),
                                    .expected = line.at(in_spending),
                                    .days_sure = line.at(in_days_sure),
                                    .cost_sure = line.at(in_cost_sure),
                                    .deadline = names_.deadline,
                                    .budget = names_.budget};
  number(line, in_tier, tier_by<Formulas>(values));
  const auto by_days = is_by_days<Formulas>(line.at(in_tier), values);
  number(line, in_first, Formulas::choose(by_days, values.days, values.expected));
  number(line, in_second, Formulas::choose(by_days, values.expected, values.days));
  write_rank(line);
}

/// One more than the number of places that come before it. Places where nothing fits have texts, which compare greater
/// than all numbers.
void PlacesTable::write_rank(const Line& line) {
  const auto model = variants_.places()[line.place].where[0];
  const auto before = [&](std::size_t column, const std::string& otherwise) {
    return fmt::format("(({0}<{1})+({0}={1})*{2})", of_model(column, model), line.at(column), otherwise);
  };
  const auto rows = fmt::format("(ROW({})<ROW({}))", of_model(in_tier, model), line.at(in_tier));
  const auto rank = ranks_.find(line.place);
  number(line, in_order, fmt::format("1+SUMPRODUCT({})", before(in_tier, before(in_first, before(in_second, rows)))),
         rank == ranks_.end() ? 0 : static_cast<double>(rank->second), Style::whole);
}

}  // namespace ringmark::analysis
