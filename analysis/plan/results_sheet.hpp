// The sheet Results: all simulated configurations, with their days and money as formulas.
#pragma once

#include <cstddef>

#include "analysis/plan/sheets.hpp"

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

}  // namespace ringmark::analysis
