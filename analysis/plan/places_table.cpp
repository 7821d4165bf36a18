#include "analysis/plan/places_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/order.hpp"

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

std::string PlacesTable::of_model(PlaceColumn column, std::size_t model) const {
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
                             "per 1e9 tokens (" + currency + ")",
                             "energy (MWh)",
                             "MFU",
                             "goodput",
                             "configuration",
                             "order",
                             "hardware",
                             "tokens/s",
                             "low",
                             "high",
                             "certain",
                             "price",
                             "spent"};
  Spreadsheet::make_high(sheet_, line);
  for (std::size_t c = 0; c < std::size(titles); ++c)
    Spreadsheet::text(sheet_, line, c, titles[c],
                      c < in_nodes || c == in_configuration ? book_.heading() : book_.number_heading());
}

void PlacesTable::write_place(std::size_t place) {
  const auto line = first_ + place;
  const auto& [model, cluster, nodes] = variants_.places()[place].where;
  const auto& of_cluster = scenario_.clusters[cluster];
  const auto& best = variants_.best(place, 0);
  const auto at = [&](PlaceColumn column) { return cell_at(column, line); };
  Spreadsheet::text(sheet_, line, in_model, scenario_.models[model].name);
  Spreadsheet::text(sheet_, line, in_cluster, of_cluster.name);
  Spreadsheet::number(sheet_, line, in_nodes, scenario_.nodes[nodes], book_.whole());
  Spreadsheet::number(sheet_, line, in_GPUs, scenario_.nodes[nodes] * of_cluster.gpus_per_node, book_.whole());
  std::string list;
  for (const auto& name : variants_.names()) list += (list.empty() ? "" : ",") + quoted(name);
  const auto& cells = names_.clusters[cluster];
  Spreadsheet::formula(sheet_, line, in_variant, fmt::format("=MATCH({},{{{}}},0)", cells.hardware, list), 1,
                       book_.whole());
  const auto take = [&](PlaceColumn column, VariantsSheet::Column from, std::optional<double> now) {
    const auto formula = variants_.cell(place, from, at(in_variant));
    Spreadsheet::formula(sheet_, line, column, fmt::format("=IF(ISNUMBER({0}),{0},\"\")", formula), now,
                         column == in_mfu ? book_.percent() : book_.figure());
  };
  const auto now = [&](auto value_of) { return best ? std::optional<double>(value_of(*best)) : std::nullopt; };
  take(in_rate, VariantsSheet::tokens_per_s, now([](const PlanRow& row) { return row.tokens_per_s; }));
  const auto range = [](const PlanRow& row, double of) { return Choice{&row}.range(of); };
  take(in_low, VariantsSheet::low, now([&](const PlanRow& row) { return range(row, 1).low; }));
  take(in_high, VariantsSheet::high, now([&](const PlanRow& row) { return range(row, 1).high; }));
  take(in_mfu, VariantsSheet::mfu, now([](const PlanRow& row) { return row.mfu; }));
  const auto& of_place = variants_.places()[place];
  const auto reason = of_place.rows.empty() ? misfit_words(scenario_, nearest_to_fit(rows_, of_place)) : "nothing fits";
  const auto words = variants_.cell(place, VariantsSheet::words, at(in_variant));
  Spreadsheet::formula_text(sheet_, line, in_configuration,
                            fmt::format("=IF(ISNUMBER({}),{},{})", at(in_rate), words, quoted(reason)),
                            best ? configuration_words(*best) : reason);
  const auto number = [&](PlaceColumn column, const std::string& formula, std::optional<double> value,
                          lxw_format* format) {
    Spreadsheet::formula(sheet_, line, column, fmt::format("=IF(ISNUMBER({}),{},\"\")", at(in_rate), formula), value,
                         format);
  };
  // Other GPUs have a price and a power of their own.
  auto hardware = cells;
  if (of_cluster.next) {
    const auto with_next = [&](const std::string& other, const std::string& own) {
      return fmt::format("IF({}={},{},{})", at(in_variant), variants_.names().size(), other, own);
    };
    hardware.price = with_next(cells.next_price, cells.price);
    hardware.power = with_next(constant(of_cluster.next->power_kW_per_GPU), cells.power);
  }
  number(in_goodput, goodput_formula(cells, at(in_nodes)), now([](const PlanRow& row) { return row.goodput; }),
         book_.percent());
  number(in_days, days_formula(names_, cells, {at(in_rate), at(in_GPUs), at(in_nodes)}),
         now([](const PlanRow& row) { return row.days; }), book_.tenth());
  number(in_days_low, at(in_days) + "*" + at(in_low), now([&](const PlanRow& row) { return range(row, row.days).low; }),
         book_.tenth());
  number(in_days_high, at(in_days) + "*" + at(in_high),
         now([&](const PlanRow& row) { return range(row, row.days).high; }), book_.tenth());
  number(in_cost, cost_formula(hardware, at(in_days), at(in_GPUs)), now([](const PlanRow& row) { return row.cost; }),
         book_.whole());
  number(in_cost_high, at(in_cost) + "*" + at(in_high),
         now([&](const PlanRow& row) { return range(row, row.cost).high; }), book_.whole());
  number(in_per_Btok, fmt::format("{}/({}/1E9)", at(in_cost), names_.tokens),
         now([](const PlanRow& row) { return row.cost_per_Btok; }), book_.hundredth());
  number(in_energy, energy_formula(hardware, at(in_days), at(in_GPUs)),
         now([](const PlanRow& row) { return row.energy_MWh; }), book_.tenth());
  number(in_sure,
         fmt::format("IF({0}={1},{2},EXP(NORMSINV(MIN(MAX({3},{4}),{5}))*{6}))", at(in_low), at(in_high),
                     constant(Choice::unbounded), names_.certainty, least_certainty, most_certainty,
                     scatter_formula(at(in_low), at(in_high))),
         now([&](const PlanRow& row) { return Choice{&row}.not_exceeded(1, scenario_.certainty); }), book_.figure());
  number(in_price, hardware.price, of_cluster.price_per_GPU_hour, book_.hundredth());
  number(in_spent, fmt::format("IF({0}>0,{0},{1}*{2})", at(in_cost), at(in_days), at(in_GPUs)),
         now([](const PlanRow& row) { return spent_on(row); }), book_.figure());
  const auto order = order_by<Formulas>({.days = at(in_days),
                                         .cost = at(in_spent),
                                         .days_sure = fmt::format("{}*{}", at(in_days), at(in_sure)),
                                         .cost_sure = fmt::format("{}*{}", at(in_cost), at(in_sure)),
                                         .deadline = names_.deadline,
                                         .budget = names_.budget});
  number(in_order, order, best ? std::optional(order_of(scenario_, {&*best})) : std::nullopt, book_.figure());
}

}  // namespace ringmark::analysis
