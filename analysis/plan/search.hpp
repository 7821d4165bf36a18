// All configurations of a scenario, and the best of each place.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/plan/plan_row.hpp"
#include "analysis/plan/step_model.hpp"

namespace ringmark::analysis {

/// Called with the share that is done, from 0 to 1.
using Progress = std::function<void(double share)>;

/// Called with the simulated rows of a place, the fastest first, while the cache has its traces.
using Visit = std::function<void(const std::array<std::size_t, 3>& where, const std::vector<PlanRow>& rows)>;

/// Simulates the configurations that could be the fastest or second fastest of their place: for all others, computation
/// alone takes longer than those two steps.
std::vector<PlanRow> make_plan(const Scenario& scenario, StepCache& cache, const Progress& progress = {},
                               const Visit& visit = {});
inline std::vector<PlanRow> make_plan(const Scenario& scenario, const Progress& progress = {}) {
  StepCache cache;
  return make_plan(scenario, cache, progress);
}

/// Model, cluster and nodes_index, with indices of its simulated rows, the fastest first.
struct PlanPlace {
  std::array<std::size_t, 3> where;
  std::vector<std::size_t> rows;
};
std::vector<PlanPlace> places_of(const std::vector<PlanRow>& rows);

/// For a place where nothing fits, the row that comes closest: preferably one that divides the batch, with the least
/// memory.
const PlanRow& nearest_to_fit(const std::vector<PlanRow>& rows, const PlanPlace& place);

/// The simulated rows of one place, the fastest first: all that could be among the `wanted` fastest, one or two. Empty
/// if nothing fits.
std::vector<PlanRow> best_of_place(const Scenario& scenario, StepModel& steps, const std::array<std::size_t, 3>& where,
                                   int wanted);

/// The mildest change with which something of the place fits, in the scenario's words; empty if none was found.
std::string change_that_fits(const Scenario& scenario, const PlanRow& row);

/// One row per configuration, empty cells where it does not fit or was not simulated.
std::string plan_csv(const Scenario& scenario, const std::vector<PlanRow>& rows);
/// Whether a text is plan_csv() of this or an older version, whose later columns may differ.
bool is_plan_csv(std::string_view text);

}  // namespace ringmark::analysis
