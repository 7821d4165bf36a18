#include "analysis/plan/changes_table.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/plan/order.hpp"
#include "analysis/plan/words.hpp"

namespace ringmark::analysis {
namespace {

class ChangesTable {
  /// The columns of PlacesTable, where they mean the same.
  enum Column : std::size_t {
    change,
    in_cluster,
    on_nodes,
    days = in_days,
    days_saved,
    cost = in_cost,
    cost_saved,
    worth_price,
    words = in_configuration
  };

 public:
  ChangesTable(Sheet sheet, std::size_t top, const Scenario& scenario)
      : sheet_(sheet), scenario_(scenario), line_(top) {
    const auto& currency = scenario.currency;
    const std::map<std::size_t, std::string> titles{{change, "changes to the answer"},
                                                    {in_cluster, "cluster"},
                                                    {on_nodes, "nodes"},
                                                    {days, "days"},
                                                    {days_saved, "days saved"},
                                                    {cost, "cost (" + currency + ")"},
                                                    {cost_saved, "cost saved (" + currency + ")"},
                                                    {worth_price, "worth at most (" + currency + " / GPU-hour)"},
                                                    {words, "configuration"}};
    sheet_.make_high(line_, 3);
    for (const auto& [column, title] : titles) {
      if (is_money(column) && !scenario.has_prices()) continue;
      sheet_.text(line_, column, title,
                  column == words     ? Style::indented_heading
                  : column < on_nodes ? Style::heading
                                      : Style::number_heading);
    }
    ++line_;
  }

  /// Expressions of a line, and their values now; `row` is null if nothing fits.
  struct Change {
    std::string name, cluster, nodes, days, cost, words;
    const PlanRow* row = nullptr;
    std::string cluster_now;
    double cost_now = 0;
    std::string words_now{};  ///< empty: the configuration
    std::string otherwise = "nothing fits";
  };

  void write(const Change& change_to, const AnswerCells& base, const PlanRow& now, const std::string& price,
             const std::optional<double>& price_now) {
    const auto* row = change_to.row;
    sheet_.text(line_, change, change_to.name);
    const auto put = [&](Column column, const std::string& formula, const std::optional<double>& value, Style style) {
      if (is_money(column) && !scenario_.has_prices()) return;
      sheet_.formula(line_, column, or_nothing(formula), row != nullptr ? value : std::nullopt, style);
    };
    const double days_now = row != nullptr ? row->days : 0, nodes_now = row != nullptr ? row->nodes : 0;
    sheet_.formula_text(line_, in_cluster, or_nothing(change_to.cluster), change_to.cluster_now);
    put(on_nodes, fmt::format("IF(ISNUMBER({}),{},\"\")", cell_at(days, line_), change_to.nodes), nodes_now,
        Style::whole);
    put(days, change_to.days, days_now, Style::tenth);
    put(days_saved, base.days + "-" + cell_at(days, line_), now.days - days_now, Style::tenth);
    put(cost, change_to.cost, change_to.cost_now, Style::whole);
    put(cost_saved, base.cost + "-" + cell_at(cost, line_), now.cost - change_to.cost_now, Style::whole);
    put(worth_price, price, price_now, Style::hundredth);
    sheet_.formula_text(line_, words,
                        fmt::format("=IFERROR(IF({0}=\"\",{1},{0}),{1})", change_to.words, quoted(change_to.otherwise)),
                        !change_to.words_now.empty() ? change_to.words_now
                        : row != nullptr             ? configuration_words(*row)
                                                     : "nothing fits",
                        Style::indented);
    ++line_;
  }

  std::size_t line() const { return line_; }

 private:
  static std::string or_nothing(const std::string& formula) { return fmt::format("=IFERROR({},\"\")", formula); }

  Sheet sheet_;
  const Scenario& scenario_;
  std::size_t line_;
};

constexpr auto misses = "misses the {}; ", may_miss = "may miss the {}, given the wanted certainty; ";

std::string objection(const Estimate& value, const char* what, const std::optional<double>& limit, double certainty) {
  const auto how = meets(value, limit, certainty);
  return how == Meets::surely ? "" : fmt::format(fmt::runtime(how == Meets::perhaps ? may_miss : misses), what);
}

std::string objection_formula(const std::string& value, const std::string& sure, const std::string& limit,
                              const char* what) {
  return fmt::format(R"(IF({},{},IF({},{},"")))", exceeds_formula(value, limit),
                     quoted(fmt::format(fmt::runtime(misses), what)), exceeds_formula(sure, limit),
                     quoted(fmt::format(fmt::runtime(may_miss), what)));
}

/// A cell of the place with the least expected cost among those up to a tier; ties go to the best-ranked place.
std::string of_cheapest(const PlacesTable& places, std::size_t model, double last_tier, PlaceColumn column) {
  const auto of = [&](PlaceColumn from) { return places.of_model(from, model); };
  const auto least = fmt::format("_xlfn.MINIFS({},{},\"<={}\")", of(in_spending), of(in_tier), last_tier);
  const auto rank =
      fmt::format("_xlfn.MINIFS({},{},{},{},\"<={}\")", of(in_order), of(in_spending), least, of(in_tier), last_tier);
  return fmt::format("INDEX({},MATCH({},{},0))", of(column), rank, of(in_order));
}

/// The place with the least expected cost among those up to a tier, and why it is not the answer. `choice` is null if
/// there is none.
ChangesTable::Change cheapest_of(const Scenario& scenario, const CellNames& names, const PlacesTable& places,
                                 const Answer& answer, double last_tier, const Choice* choice) {
  const auto its = [&](PlaceColumn column) { return of_cheapest(places, answer.model, last_tier, column); };
  const auto* row = choice != nullptr ? choice->row : nullptr;
  const std::string least = scenario.has_prices() ? "the cheapest " : "the fewest GPU-hours ";
  const std::string none = "no cluster meets deadline and budget";
  return {
      .name = least + (last_tier == tier_late ? "of all" : "as planned"),
      .cluster = its(in_cluster),
      .nodes = its(in_nodes),
      .days = its(in_days),
      .cost = its(in_cost),
      .words = fmt::format("{}&{}&{}", objection_formula(its(in_days), its(in_days_sure), names.deadline, "deadline"),
                           objection_formula(its(in_cost), its(in_cost_sure), names.budget, "budget"),
                           its(in_configuration)),
      .row = row,
      .cluster_now = row != nullptr ? scenario.clusters[row->cluster].name : "",
      .cost_now = row != nullptr ? row->cost : 0,
      .words_now = row == nullptr ? none
                                  : objection(choice->days(), "deadline", scenario.deadline_days, scenario.certainty) +
                                        objection(choice->cost(), "budget", scenario.budget, scenario.certainty) +
                                        configuration_words(*row),
      .otherwise = last_tier == tier_late ? "nothing fits" : none};
}

}  // namespace

std::size_t lines_of_changes(const VariantsSheet& variants) { return 5 + variants.names().size() - 1; }

void write_changes(Sheet sheet, std::size_t top, const Planned& planned, const PlacesTable& places,
                   const Answer& answer, const AnswerCells& cells) {
  if (!answer.chosen) return;
  const auto& scenario = planned.scenario;
  const auto& variants = planned.variants;
  const auto& names = planned.cells;
  ChangesTable table(sheet, top, scenario);
  const auto& row = *answer.chosen->row;
  const auto& cluster = scenario.clusters[row.cluster];
  const auto& chosen = cells.of_cluster;
  const auto average = price_formula(chosen, cells.GPUs);
  const auto is_as_planned = cells.hardware + "=1";
  const std::string other_hardware = "compared only with the planned hardware; plan again with this hardware";
  // Days and cost of another rate on the same GPUs.
  const auto on_chosen = [&](const std::string& name, const std::string& rate, const std::string& words,
                             const std::string& price) {
    const auto days = days_formula(names, chosen, {rate, cells.GPUs, cells.nodes});
    auto priced = chosen;
    if (price == chosen.next_price) priced.reserved_price = "0";
    priced.price = price;
    return ChangesTable::Change{name,
                                fmt::format("IF({},{},\"\")", is_as_planned, cells.cluster),
                                cells.nodes,
                                fmt::format("IF(AND(ISNUMBER({}),{}),{},NA())", rate, is_as_planned, days),
                                fmt::format("IF({},{},NA())", is_as_planned, cost_formula(priced, days, cells.GPUs)),
                                fmt::format("IF({},{},{})", is_as_planned, words, quoted(other_hardware))};
  };
  // The second configuration of the selected hardware has the same GPUs at the same price.
  const auto of_selected = [&](VariantsSheet::Column column) {
    return variants.selected(cells.place, column, cells.hardware);
  };
  const auto second_days = fmt::format("{}*{}/{}", cells.days, of_selected(VariantsSheet::tokens_per_s),
                                       of_selected(VariantsSheet::second_rate));
  ChangesTable::Change second{"its second configuration",
                              cells.cluster,
                              cells.nodes,
                              second_days,
                              fmt::format("{}*({})/{}", cells.cost, second_days, cells.days),
                              of_selected(VariantsSheet::second_words)};
  second.row = answer.chosen->runner_up != nullptr ? answer.chosen->runner_up : &row;
  second.words_now = answer.chosen->runner_up != nullptr ? "" : "the only one that fits";
  second.cluster_now = cluster.name;
  second.cost_now = second.row->cost;
  table.write(second, cells, row, fmt::format("{}/(24*{}*({}))", cells.cost, cells.paid_GPUs, second_days),
              row.price_per_GPU_hour * row.days / second.row->days);
  // The price of that cluster's GPUs at which both cost the same.
  const auto write_place = [&](const ChangesTable::Change& change, const std::string& its_price) {
    table.write(change, cells, row, fmt::format("{}*{}/{}", its_price, cells.cost, change.cost),
                change.cost_now > 0 ? std::optional(change.row->price_per_GPU_hour * row.cost / change.cost_now)
                                    : std::nullopt);
  };
  if (answer.other) {
    const auto& other = *answer.other->row;
    const auto of = [&](PlaceColumn column) { return places.of_model(column, answer.model); };
    const auto least = fmt::format("_xlfn.MINIFS({},{},\"<>\"&{})", of(in_order), of(in_cluster), cells.cluster);
    const auto of_other = [&](PlaceColumn column) {
      return fmt::format("INDEX({},MATCH({},{},0))", of(column), least, of(in_order));
    };
    write_place({"another cluster", of_other(in_cluster), of_other(in_nodes), of_other(in_days), of_other(in_cost),
                 of_other(in_configuration), &other, scenario.clusters[other.cluster].name, other.cost},
                of_other(in_price));
  }
  const auto& chosen_now = *answer.chosen;
  const bool meets_both = answer.meets_deadline && answer.meets_budget;
  const auto write_cheapest = [&](double last_tier, const Choice* choice) {
    write_place(cheapest_of(scenario, names, places, answer, last_tier, choice),
                of_cheapest(places, answer.model, last_tier, in_price));
  };
  write_cheapest(tier_as_planned, answer.cheapest_as_planned ? &*answer.cheapest_as_planned
                                  : meets_both               ? &chosen_now
                                                             : nullptr);
  write_cheapest(tier_late, answer.cheapest ? &*answer.cheapest : &chosen_now);
  const auto place = variants.place_of(row);
  for (std::size_t v = 1; v < variants.names().size(); ++v) {
    auto change = on_chosen(variants.names()[v], variants.of_place(cells.place, VariantsSheet::tokens_per_s, v),
                            variants.of_place(cells.place, VariantsSheet::words, v),
                            v == variants.next_device() ? chosen.next_price : chosen.price);
    const auto best = variants.best(place, v);
    change.row = best ? &*best : nullptr;
    change.cluster_now = cluster.name;
    change.cost_now = best ? best->cost : 0;
    if (v == variants.next_device() && !cluster.next) change.words_now = "no next device is given";
    table.write(change, cells, row, fmt::format("{}*{}/({})", average, cells.days, change.days),
                best ? row.price_per_GPU_hour * row.days / best->days : 0);
  }
}

}  // namespace ringmark::analysis
