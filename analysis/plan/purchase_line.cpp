#include "analysis/plan/purchase_line.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "analysis/plan/purchase_words.hpp"

namespace ringmark::analysis {

void write_purchase(Sheet sheet, std::size_t line, const Scenario& scenario, const PlacesTable& places,
                    const Answer& answer) {
  const auto m = answer.model;
  const auto* bought = answer.bought ? answer.bought->row : nullptr;
  const auto* rented = answer.rented ? answer.rented->row : nullptr;
  std::size_t column = in_order;
  const auto hide = [&](const std::string& formula, double now) {
    sheet.formula(line, column, fmt::format("=IFERROR({},\"\")", formula),
                  bought != nullptr ? std::optional(now) : std::nullopt, Style::figure);
    return cell_at(column++, line);
  };
  const auto of = [&](const char* condition, PlaceColumn from) {
    const auto ranks = places.of_model(in_order, m);
    return fmt::format("INDEX({},MATCH(_xlfn.MINIFS({},{},\"{}\"),{},0))", places.of_model(from, m), ranks,
                       places.of_model(in_outlay, m), condition, ranks);
  };
  const auto take = [&](PlaceColumn from) {
    return hide(of(">0", from), bought != nullptr ? look_of(from).now(scenario, *answer.bought).value_or(0) : 0);
  };
  PurchaseCells cells{.cluster = of(">0", in_cluster),
                      .nodes = take(in_nodes),
                      .paid_GPUs = take(in_paid_GPUs),
                      .outlay = take(in_outlay),
                      .depreciation = take(in_depreciation),
                      .electricity = take(in_electricity),
                      .years = take(in_years),
                      .rented = cell_at(column, line),
                      .break_even = cell_at(column + 1, line)};
  sheet.formula_text(line, column++, fmt::format("=IFERROR({},\"\")", of("<=0", in_cluster)),
                     rented != nullptr ? scenario.clusters[rented->cluster].name : "");
  hide(break_even_formula(cells, of("<=0", in_cost)), rented != nullptr ? break_even_use(*bought, rented->cost) : 0);
  const auto words =
      bought != nullptr ? purchase_words(scenario, *bought, rented, cells) : purchase_words(scenario, {}, {}, cells);
  sheet.formula_text(line, in_cluster, fmt::format("=IF(ISNUMBER({}),{},\"\")", cells.outlay, words.formula()),
                     bought != nullptr ? words.now() : "");
}

}  // namespace ringmark::analysis
