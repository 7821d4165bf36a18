#include "analysis/plan/changes_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark::analysis {
namespace {

class ChangesTable {
  enum Column : std::size_t { change, in_cluster, on_nodes, days, days_saved, cost, cost_saved, worth_price };

 public:
  ChangesTable(Spreadsheet& book, lxw_worksheet* sheet, std::size_t top, const Scenario& scenario)
      : book_(book), sheet_(sheet), line_(top) {
    const std::string titles[]{"changes to the answer",
                               "cluster",
                               "nodes",
                               "days",
                               "days saved",
                               "cost (" + scenario.currency + ")",
                               "cost saved (" + scenario.currency + ")",
                               "even at (" + scenario.currency + " / hour)"};
    Spreadsheet::make_high(sheet_, line_);
    for (std::size_t c = 0; c < std::size(titles); ++c)
      Spreadsheet::text(sheet_, line_, c, titles[c], c < on_nodes ? book_.heading() : book_.number_heading());
    ++line_;
  }

  struct Place {
    std::string cluster, nodes;  ///< formulas
    std::string cluster_now;
    double nodes_now = 0;
  };
  struct Figures {
    std::string days, cost;
    double days_now = 0, cost_now = 0;
  };

  /// `price` is that of the base's GPU-hour.
  void write(const std::string& what, const Place& place, const Figures& changed, const Figures& base,
             const std::string& price, double price_now) {
    Spreadsheet::text(sheet_, line_, change, what);
    worksheet_write_formula_str(sheet_, static_cast<lxw_row_t>(line_), in_cluster, or_nothing(place.cluster).c_str(),
                                nullptr, place.cluster_now.c_str());
    const auto figure = [&](Column column, const std::string& formula, double now, lxw_format* format) {
      Spreadsheet::formula(sheet_, line_, column, or_nothing(formula), now, format);
    };
    figure(on_nodes, place.nodes, place.nodes_now, book_.whole());
    figure(days, changed.days, changed.days_now, book_.tenth());
    figure(days_saved, base.days + "-" + at(days, line_), base.days_now - changed.days_now, book_.tenth());
    figure(cost, changed.cost, changed.cost_now, book_.whole());
    figure(cost_saved, base.cost + "-" + at(cost, line_), base.cost_now - changed.cost_now, book_.whole());
    figure(worth_price, price, price_now, book_.hundredth());
    ++line_;
  }
  void note(const std::string& words) { Spreadsheet::text(sheet_, line_++, 0, words); }
  std::size_t line() const { return line_; }

 private:
  static std::string at(std::size_t column, std::size_t line) {
    return fmt::format("${}${}", column_letter(column), line + 1);
  }
  static std::string or_nothing(const std::string& formula) { return fmt::format("=IFERROR({},\"\")", formula); }

  Spreadsheet& book_;
  lxw_worksheet* sheet_;
  std::size_t line_;
};

}  // namespace

std::size_t write_changes(Spreadsheet& book, lxw_worksheet* sheet, std::size_t top, VariantsSheet& variants,
                          const Scenario& scenario, const CellNames& names, std::size_t results, const Answer& answer,
                          const AnswerCells& cells, const PlacesCells& places, const AnswerCells& chosen_place) {
  if (!answer.chosen) return top;
  ChangesTable table(book, sheet, top, scenario);
  const auto& row = *answer.chosen->row;
  const auto& base_cluster = scenario.clusters[row.cluster];
  const ChangesTable::Figures base{cells.days, cells.cost, row.days, row.cost};
  std::vector<std::string> clusters, prices;
  for (std::size_t c = 0; c < scenario.clusters.size(); ++c) {
    clusters.push_back('"' + scenario.clusters[c].name + '"');
    prices.push_back(names.clusters[c].price);
  }
  const auto price =
      fmt::format("CHOOSE(MATCH({},{{{}}},0),{})", cells.cluster, fmt::join(clusters, ","), fmt::join(prices, ","));
  // The second configuration of the same place: the fastest that is slower.
  if (const auto* second = answer.chosen->runner_up) {
    const auto all = [&](std::size_t column) { return result_range(column, results); };
    const auto rate = fmt::format("INDEX({},{})", all(result_column::tokens_per_s), cells.line);
    const auto slower = fmt::format("{0}/_xlfn.MAXIFS({1},{2},\"{3}\",{4},{5},{6},{7},{8},1,{1},\"<\"&{0}*(1-1E-9))",
                                    rate, all(result_column::tokens_per_s), all(result_column::model),
                                    scenario.models[answer.model].name, all(result_column::cluster), cells.cluster,
                                    all(result_column::nodes), cells.nodes, all(result_column::fits));
    table.write("its second configuration", {cells.cluster, cells.nodes, base_cluster.name, 1.0 * row.nodes},
                {cells.days + "*" + slower, cells.cost + "*" + slower, second->days, second->cost}, base,
                fmt::format("{}/({})", price, slower), base_cluster.price_per_GPU_hour * row.days / second->days);
  }
  if (answer.other) {
    const auto& other = *answer.other->row;
    const auto least = fmt::format("_xlfn.MINIFS({},{},\"<>\"&{})", places.orders, places.clusters, cells.cluster);
    const auto of_other = [&](const std::string& range) {
      return fmt::format("INDEX({},MATCH({},{},0))", range, least, places.orders);
    };
    table.write(
        "another cluster",
        {of_other(places.clusters), of_other(places.nodes), scenario.clusters[other.cluster].name, 1.0 * other.nodes},
        {of_other(places.days), of_other(places.costs), other.days, other.cost}, base,
        fmt::format("{}*{}/{}", price, of_other(places.costs), cells.cost),
        base_cluster.price_per_GPU_hour * other.cost / row.cost);
  }
  const ChangesTable::Figures place{chosen_place.days, chosen_place.cost, row.days, row.cost};
  for (const auto& each : what_ifs(scenario, row)) {
    if (!each.row) {
      table.note(each.what + ": nothing fits");
      continue;
    }
    const auto variant = variants.write_what_if(row, each);
    table.write(each.what, {chosen_place.cluster, chosen_place.nodes, base_cluster.name, 1.0 * row.nodes},
                {variant.days, variant.cost, each.row->days, each.row->cost}, place,
                fmt::format("{}*{}/{}", names.clusters[row.cluster].price, place.days, variant.days),
                each.break_even_price);
  }
  table.note(fmt::format(
      "The first lines follow the answer; changes of network, memory and device are to {} on {} nodes, in the "
      "configuration that the search found for them.",
      base_cluster.name, row.nodes));
  table.note(
      "Even at: above this price of a GPU's hour the change costs more than it saves; for another cluster, the "
      "answer's "
      "own price at which both cost the same.");
  return table.line();
}

}  // namespace ringmark::analysis
