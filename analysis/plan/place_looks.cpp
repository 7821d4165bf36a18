// Titles, styles and values of the columns of places.
#include <optional>

#include <fmt/format.h>

#include "analysis/plan/places_table.hpp"

namespace ringmark::analysis {
namespace {

using S = const Scenario&;
using C = const Choice&;

Spread failures_of(S s, C c) { return scatters_of(failure_range(s.clusters[c.row->cluster].failures, c.row->nodes)); }
Spread prices_of(S s, C c) { return scatters_of(price_range(s.clusters[c.row->cluster], c.row->nodes)); }
std::optional<double> none(S, C) { return std::nullopt; }

/// By PlaceColumn.
const PlaceLook looks_of_places[]{
    {"model", Style::plain, none},
    {"cluster", Style::plain, none},
    {"nodes", Style::whole, [](S, C c) { return std::optional<double>(c.row->nodes); }},
    {"GPUs", Style::whole, [](S, C c) { return std::optional(c.row->ranks); }},
    {"days", Style::tenth, [](S, C c) { return std::optional(c.row->days); }},
    {"days, 5 % below", Style::tenth, [](S, C c) { return std::optional(c.days().range().low); }},
    {"days, 95 % below", Style::tenth, [](S, C c) { return std::optional(c.days().range().high); }},
    {"cost", Style::whole, [](S, C c) { return std::optional(c.row->cost); }},
    {"cost, 95 % below", Style::whole, [](S, C c) { return std::optional(c.cost().range().high); }},
    {"expected cost", Style::whole, [](S, C c) { return std::optional(c.row->expected_cost); }},
    {"per 1e9 tokens", Style::hundredth, [](S, C c) { return std::optional(c.row->cost_per_Btok); }},
    {"outlay", Style::whole, [](S, C c) { return std::optional(c.row->outlay); }},
    {"energy (MWh)", Style::tenth, [](S, C c) { return std::optional(c.row->energy_MWh); }},
    {"MFU", Style::percent, [](S, C c) { return std::optional(c.row->mfu); }},
    {"goodput", Style::percent, [](S, C c) { return std::optional(c.row->goodput); }},
    {"configuration", Style::indented, none},
    {"rank", Style::whole, none},
    {"tier", Style::whole, [](S s, C c) { return std::optional(order_of(s, c).tier); }},
    {"first criterion", Style::figure, [](S s, C c) { return std::optional(order_of(s, c).first); }},
    {"second criterion", Style::figure, [](S s, C c) { return std::optional(order_of(s, c).second); }},
    {"depreciation", Style::figure, [](S, C c) { return std::optional(c.row->depreciation); }},
    {"electricity", Style::figure, [](S, C c) { return std::optional(c.row->electricity); }},
    {"GPUs to pay for", Style::whole,
     [](S s, C c) {
       const auto& cluster = s.clusters[c.row->cluster];
       return std::optional(c.row->ranks + cluster.spare_nodes * cluster.gpus_per_node);
     }},
    {"years of use", Style::figure,
     [](S s, C c) { return std::optional(s.clusters[c.row->cluster].purchase.value_or(Purchase{.years = 1}).years); }},
    {"hardware", Style::whole, [](S, C) { return std::optional(1.0); }},
    {"tokens/s", Style::figure, [](S, C c) { return std::optional(c.row->tokens_per_s); }},
    {"price", Style::hundredth, [](S, C c) { return std::optional(c.row->price_per_GPU_hour); }},
    {"expected spending", Style::figure, [](S s, C c) { return std::optional(expected_spending(s, *c.row)); }},
    {"days, 25 % below", Style::figure, [](S, C c) { return std::optional(c.days().range(0.5).low); }},
    {"days, 75 % below", Style::figure, [](S, C c) { return std::optional(c.days().range(0.5).high); }},
    {"days, certain", Style::figure, [](S s, C c) { return std::optional(c.days().not_exceeded(s.certainty)); }},
    {"cost, certain", Style::figure, [](S s, C c) { return std::optional(c.cost().not_exceeded(s.certainty)); }},
    {"deadline met", Style::percent,
     [](S s, C c) { return s.deadline_days ? c.days().probability_below(*s.deadline_days) : std::nullopt; }},
    {"budget met", Style::percent,
     [](S s, C c) { return s.budget ? c.cost().probability_below(*s.budget) : std::nullopt; }},
    {"failures, below", Style::figure, [](S s, C c) { return std::optional(failures_of(s, c).below); }},
    {"failures, above", Style::figure, [](S s, C c) { return std::optional(failures_of(s, c).above); }},
    {"price, below", Style::figure, [](S s, C c) { return std::optional(prices_of(s, c).below); }},
    {"price, above", Style::figure, [](S s, C c) { return std::optional(prices_of(s, c).above); }}};
static_assert(std::size(looks_of_places) == in_step_spread);

}  // namespace

const PlaceLook& look_of(std::size_t column) { return looks_of_places[column]; }

std::string place_title(std::size_t column, const Scenario& scenario) {
  const std::string title = look_of(column).title;
  return is_money(column) ? fmt::format("{} ({})", title, scenario.currency) : title;
}

}  // namespace ringmark::analysis
