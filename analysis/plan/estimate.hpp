// The cost of training on a cluster, by arithmetic that a spreadsheet can follow.
//
// Memory: mixed precision with Adam, 16 bytes per parameter in all, partitioned by the ZeRO stage (Rajbhandari et al.,
// SC 2020); two buckets of gradients; activations after Korthikanti et al. (2022). Compute: 6 operations per parameter
// and token, plus attention, a third more with recomputation. Communication: the bytes and calls that DeepSpeed issues,
// at the rate and latency of a path. With `replay` the replayer's step, as a factor. docs/ANALYSIS.md has the formulas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// One configuration on one cluster. Indices are those of the scenario's lists.
struct PlanRow {
  std::size_t model, cluster, nodes_index;
  int stage, micro_batch, accumulation, nodes;
  double ranks = 0;
  double memory_GB = 0;
  bool fits = false;
  // All of an optimizer step; what does not fit has none of these.
  double compute_s = 0;
  double gradient_s = 0, parameter_s = 0;  ///< communication
  double window_s = 0;                     ///< of computation that gradients (stage 3: all) can hide behind
  /// The replayer's step over compute_s and what the arithmetic takes to be exposed; 1 where it does not know the
  /// model.
  double replay_factor = 1;
  double exposed_s = 0, step_s = 0;
  double tokens_per_s = 0, samples_per_s = 0;
  std::size_t smallest = 0;   ///< the row of the same configuration on the fewest nodes that it fits on
  double scaling_factor = 0;  ///< throughput per GPU against that row
  double days = 0, cost = 0, energy_MWh = 0;
  /// The operators' time of a micro-step over that of all operations at one efficiency; 1 without a device.
  double compute_factor = 1;
  std::optional<double> interval_low_s, interval_high_s;  ///< of step_s, in nine of ten cases
  std::optional<double> hidden_from_GBps;                 ///< at that rate the network is no longer the bottleneck
  bool is_best = false;                                   ///< the fastest for its model, cluster and nodes, or as fast
  bool is_beyond_fit = false;                             ///< more ranks than the fit of its path has seen
};

std::vector<PlanRow> make_plan(const Scenario& scenario);

/// One row per configuration, empty cells where it does not fit.
std::string plan_csv(const Scenario& scenario, const std::vector<PlanRow>& rows);

/// The best configurations, for a terminal.
std::string print(const Scenario& scenario, const std::vector<PlanRow>& rows);

}  // namespace ringmark::analysis
