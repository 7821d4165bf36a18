#include "analysis/plan/purchase_words.hpp"

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

constexpr double never = 9;

}  // namespace

double break_even_use(const PlanRow& bought, double rented_cost) {
  const double left = rented_cost - bought.electricity;
  return left > 0 ? bought.depreciation / left : never;
}

std::string break_even_formula(const PurchaseCells& cells, const std::string& rented_cost) {
  return fmt::format("IF({0}>{1},{2}/({0}-{1}),{3})", rented_cost, cells.electricity, cells.depreciation, never);
}

LiveText purchase_words(const Scenario& scenario, const PlanRow& bought, const PlanRow* rented,
                        const PurchaseCells& cells) {
  const auto& cluster = scenario.clusters[bought.cluster];
  const auto money = [&](const std::string& cell, double now) {
    return live_number(cell, 0, now).say(" " + scenario.currency);
  };
  LiveText text;
  text.say_cell(cells.cluster, cluster.name).say(" on ").append(live_number(cells.nodes, 0, bought.nodes));
  text.say(" nodes is an order of ").append(money(cells.outlay, bought.outlay)).say(" for ");
  text.append(live_number(cells.paid_GPUs, 0, bought.ranks + cluster.spare_nodes * cluster.gpus_per_node));
  text.say(" GPUs. The cost is the run's share if the cluster is used all the time for ");
  text.append(live_number(cells.years, 1, cluster.purchase.value_or(Purchase{}).years)).say(" years: ");
  text.append(money(cells.depreciation, bought.depreciation)).say(" of depreciation and ");
  text.append(money(cells.electricity, bought.electricity)).say(" of electricity.");
  const double use = rented != nullptr ? break_even_use(bought, rented->cost) : never;
  const auto name = rented != nullptr ? scenario.clusters[rented->cluster].name : "";
  constexpr double percent = 100;
  LiveText cheaper, dearer;
  cheaper.say(" Buying is cheaper than renting ").say_cell(cells.rented, name).say(" if it is used for more than ");
  cheaper.append(live_number(fmt::format("{}*{}", percent, cells.break_even), 0, percent * use))
      .say(" % of that time.");
  dearer.say(" Renting ").say_cell(cells.rented, name).say(" is cheaper even then.");
  const auto is_offered = fmt::format("{}<>\"\"", cells.rented);
  text.say_if(fmt::format("AND({},{}<1)", is_offered, cells.break_even), rented != nullptr && use < 1, cheaper);
  text.say_if(fmt::format("AND({},{}>=1)", is_offered, cells.break_even), rented != nullptr && use >= 1, dearer);
  return text;
}

}  // namespace ringmark::analysis
