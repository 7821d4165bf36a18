// All configurations of a scenario, and the best of each place.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/plan/estimate.hpp"

namespace ringmark::analysis {

/// With `replay`, what could be the best or the second of its place is replayed; all others compute alone for longer
/// than those two take, and keep their arithmetic.
std::vector<PlanRow> make_plan(const Scenario& scenario);

/// Model, cluster and nodes_index, with indices of its fitting rows, the fastest first.
struct PlanPlace {
  std::array<std::size_t, 3> where;
  std::vector<std::size_t> rows;
};
std::vector<PlanPlace> places_of(const std::vector<PlanRow>& rows);

/// The mildest change with which something of the place fits, in the scenario's words; empty if none was found.
std::string change_that_fits(const Scenario& scenario, const PlanRow& row);

/// One row per configuration, empty cells where it does not fit.
std::string plan_csv(const Scenario& scenario, const std::vector<PlanRow>& rows);

}  // namespace ringmark::analysis
