// The sheet Results: all simulated configurations, with their days and money as formulas.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/plan_row.hpp"
#include "analysis/plan/spreadsheet.hpp"

namespace ringmark::analysis {

/// From `goodput` to `energy_MWh` columns are formulas; all others are values.
namespace result_column {
enum Column : std::size_t {
  model,
  cluster,
  nodes,
  GPUs,
  stage,
  sharding,
  micro_batch,
  accumulation,
  recompute,
  memory_GB,
  compute_s,
  exposed_s,
  step_s,
  interval_low_s,
  interval_high_s,
  tokens_per_s,
  samples_per_s,
  mfu,
  scaling_factor,
  goodput,
  days,
  cost,
  cost_per_Btok,
  energy_MWh,
  best,
  beyond_fit,
  end_of_results
};
}  // namespace result_column
constexpr std::size_t first_result_line = 2;  // above are names and units

/// The data of the sheets that follow the assumptions.
struct Planned {
  const Scenario& scenario;
  const CellNames& cells;
  std::vector<const PlanRow*> rows;  ///< the simulated ones
};

void write_results(Spreadsheet& book, lxw_worksheet* sheet, const Planned& planned);

}  // namespace ringmark::analysis
