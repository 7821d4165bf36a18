// Spreadsheet formulas from a step's rate to days, money and energy: the arithmetic of take_costs() on named cells. The
// rate itself is a value from a simulation.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace ringmark::analysis {

struct Cluster;

/// Names of the cells that a planner may change.
struct CellNames {
  struct Ends {
    std::string low, high;  ///< expressions that stay in order around the likely value, whatever is typed
  };
  struct Cluster {
    std::string price = "0";  ///< without prices
    std::string power, mtbf_hours, write_s, restart_s, interval_s;
    std::string spare_GPUs;  ///< an expression: the spare nodes' cell times the GPUs of a node
    Ends price_ends{"0", "0"}, mtbf_ends, next_price_ends{"0", "0"};
    std::string reserved_GPUs = "0", reserved_share = "0", reserved_price = "0";  ///< GPUs as spare_GPUs
    /// A bought cluster's purchase; for a rented one, values that have no effect.
    std::string price_per_GPU = "0", years = "1", electricity = "0", PUE = "1";
    std::string has_price = "TRUE";  ///< whether every price cell has a number
    std::string next_price;          ///< of the next device; empty without one
    std::string hardware;            ///< the chosen variant's name
  };
  std::string tokens, start, utilisation, deadline, certainty;
  std::string changes;       ///< the number of cells whose value differs from the plan
  std::string budget = "0";  ///< without prices
  std::vector<Cluster> clusters;
};

/// The cells of a cluster, for code that treats them all alike.
constexpr std::string CellNames::Cluster::*cluster_cells[]{
    &CellNames::Cluster::spare_GPUs,    &CellNames::Cluster::price,         &CellNames::Cluster::power,
    &CellNames::Cluster::mtbf_hours,    &CellNames::Cluster::write_s,       &CellNames::Cluster::restart_s,
    &CellNames::Cluster::interval_s,    &CellNames::Cluster::reserved_GPUs, &CellNames::Cluster::reserved_share,
    &CellNames::Cluster::reserved_price};

/// The likely values of those cells.
std::array<double, std::size(cluster_cells)> values_of_cells(const Cluster& cluster);

/// Expressions for what a configuration has: cells, or constants.
struct RateCells {
  std::string tokens_per_s, GPUs, nodes;
};

/// Expressions, without the equals sign.
std::string goodput_formula(const CellNames::Cluster& cluster, const std::string& nodes);
std::string days_formula(const CellNames& names, const CellNames::Cluster& cluster, const RateCells& rate);
/// The average price of a GPU-hour.
std::string price_formula(const CellNames::Cluster& cluster, const std::string& GPUs);
std::string cost_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs);
std::string energy_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs);
/// The price of all GPUs of a cluster that is bought, and the parts of the cost.
std::string outlay_formula(const CellNames::Cluster& cluster, const std::string& GPUs);
std::string depreciation_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs);
std::string electricity_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs);
/// Whether a value exceeds a limit; a limit of 0 is none.
std::string exceeds_formula(const std::string& value, const std::string& limit);

// The arithmetic of spread.hpp.

/// Expressions, or cells.
struct CumulantCells {
  std::string mean, variance, third;
};
struct SpreadCells {
  std::string shift, below, above;
};

/// Standard deviation of the logarithm on one side of the median. `factor`, at least 1, is the ratio between the median
/// and the value that is passed in 5 % of cases.
std::string scatter_formula(const std::string& factor);
/// The cumulants of a factor whose logarithm has these standard deviations below and above its median.
CumulantCells cumulants_formula(const std::string& below, const std::string& above);
CumulantCells operator+(const CumulantCells& a, const CumulantCells& b);
/// The difference of `above` and `below`.
std::string asymmetry_formula(const CumulantCells& cumulants);
SpreadCells spread_formula(const CumulantCells& cumulants, const std::string& asymmetry);
std::string quantile_formula(const SpreadCells& spread, const std::string& probability);
std::string probability_formula(const SpreadCells& spread, const std::string& factor);
std::string mean_formula(const SpreadCells& spread);

// Cells and constants.

/// "A" for 0; up to "ZZ".
std::string column_letter(std::size_t column);
/// "$H$20" of a line counted from 0.
std::string cell_at(std::size_t column, std::size_t line);
/// "Sheet!$F$3:$F$12": lines from 0, the last one included.
std::string column_range(const std::string& sheet, std::size_t column, std::size_t first, std::size_t last);
/// A number in the syntax of formulas, with all its digits.
std::string constant(double value);
/// A text within a formula, in several literals if it is too long for one.
std::string quoted(const std::string& text);

/// The position, from 1, of an expression's value among texts.
std::string number_formula(const std::string& value, const std::vector<std::string>& texts);

}  // namespace ringmark::analysis
