// The table of a plan's places on the sheet Answer: the best configuration of each, with the selected hardware.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/sheets.hpp"

namespace ringmark::analysis {

/// Columns of cumulants, and of the spread that has them, from the first one on.
constexpr std::size_t of_mean = 0, of_variance = 1, of_third = 2, of_asymmetry = 3, of_shift = 4, of_below = 5,
                      of_above = 6, columns_of_spread = 7;

/// The other tables of the sheet have the same columns up to `in_configuration`. `in_order` is 1 for the
/// answer, 2 for the next best place, and so on. It and the columns after it are hidden.
enum PlaceColumn : std::size_t {
  in_model,
  in_cluster,
  in_nodes,
  in_GPUs,
  in_days,
  in_days_low,
  in_days_high,
  in_cost,
  in_cost_high,
  in_expected,
  in_per_Btok,
  in_outlay,  ///< of GPUs that are bought, spare ones included
  in_energy,
  in_mfu,
  in_goodput,
  in_configuration,
  in_order,
  in_tier,  ///< of order.hpp, with what decides within a tier
  in_first,
  in_second,
  in_depreciation,  ///< parts of the cost of a cluster that is bought
  in_electricity,
  in_paid_GPUs,  ///< with spare ones
  in_years,      ///< over which its price is written off
  in_variant,
  in_rate,
  in_price,         ///< per GPU-hour, with the selected hardware
  in_spending,      ///< expected: the cost, or GPU-days if the cluster has no price
  in_days_quarter,  ///< not exceeded in a quarter and in three quarters of cases
  in_days_three_quarters,
  in_days_sure,  ///< not exceeded with the wanted certainty
  in_cost_sure,
  in_deadline_met,  ///< the probability
  in_budget_met,
  in_failures_below,  ///< scatter of the days due to the range of the time between failures
  in_failures_above,
  in_price_below,
  in_price_above,
  in_step_spread,  ///< the first of its cumulants, which are given
  in_days_spread = in_step_spread + of_asymmetry,
  in_cost_spread = in_days_spread + columns_of_spread,
  end_of_places = in_cost_spread + columns_of_spread
};

/// In the line of an answer, these columns have the probabilities of its limits instead.
constexpr PlaceColumn of_deadline = in_mfu, of_budget = in_goodput;

/// Replaces the configuration if a price cell is empty.
constexpr auto no_price = "give a price";

/// A column up to the spreads: its title, and the planned value of a place's choice.
struct PlaceLook {
  const char* title;
  Style style;
  std::optional<double> (*now)(const Scenario& scenario, const Choice& choice);
};
const PlaceLook& look_of(std::size_t column);
/// With the currency for amounts of money.
std::string place_title(std::size_t column, const Scenario& scenario);

/// Columns, of all tables of the sheet, that are left out without prices.
constexpr bool is_money(std::size_t column) { return column >= in_cost && column <= in_outlay; }

class PlacesTable {
 public:
  /// Its first place is in the line `first`, counted from 0; its heading is above it.
  PlacesTable(Sheet sheet, const Planned& planned, std::size_t first)
      : sheet_(sheet),
        scenario_(planned.scenario),
        names_(planned.cells),
        rows_(planned.rows),
        variants_(planned.variants),
        first_(first) {
    for (std::size_t model = 0; model < scenario_.models.size(); ++model) {
      std::size_t rank = 0;
      for (const auto& each : ranked_choices(scenario_, rows_, model)) ranks_[variants_.place_of(*each.row)] = ++rank;
    }
  }

  void write();

  std::size_t last() const { return first_ + variants_.places().size() - 1; }
  /// The cells of a model's places in a column.
  std::string of_model(std::size_t column, std::size_t model) const;
  /// How many places come before the model's.
  std::size_t before_model(std::size_t model) const;

 private:
  /// A place's line, with its best row as planned, or a zeroed row if there is none.
  struct Line {
    std::size_t place, line;
    bool fits, has_range;
    PlanRow row;
    std::string at(std::size_t column) const { return cell_at(column, line); }
    SpreadCells spread(std::size_t first) const {
      return {at(first + of_shift), at(first + of_below), at(first + of_above)};
    }
  };
  void write_heading(std::size_t line);
  void write_place(std::size_t place);
  void write_step(const Line& line, const CellNames::Cluster& cells);
  void write_name(const Line& line);
  void write_values(const Line& line, const CellNames::Cluster& cells);
  void write_ranges(const Line& line, const CellNames::Cluster& cells);
  void write_spread(const Line& line, std::size_t first, const CumulantCells& cells, const Cumulants& now);
  void write_quantiles(const Line& line);
  void write_order(const Line& line);
  void write_rank(const Line& line);
  /// The cells of the place's cluster with the selected hardware.
  CellNames::Cluster selected(const Line& line) const;
  /// Writes a formula that is empty if nothing fits.
  void number(const Line& line, std::size_t column, const std::string& formula);
  void number(const Line& line, std::size_t column, const std::string& formula, double now, Style style);

  Sheet sheet_;
  const Scenario& scenario_;
  const CellNames& names_;
  const std::vector<PlanRow>& rows_;
  const VariantsSheet& variants_;
  std::size_t first_;
  std::map<std::size_t, std::size_t> ranks_;  ///< by place, from 1 for a model's answer
};

}  // namespace ringmark::analysis
