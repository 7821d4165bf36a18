// The cost of training on a cluster, by arithmetic that a spreadsheet can follow.
//
// Memory: the replayer's sum. Compute: 6 operations per token and parameter that is multiplied, plus attention, a third
// more with recomputation, or the operators' time on a device. Communication: the bytes and calls that DeepSpeed
// issues, at the rate and latency of a path. With `replay` the replayer's step, as a factor. docs/ANALYSIS.md has the
// formulas.
#pragma once

#include <optional>

#include "analysis/plan/scenario.hpp"
#include "replay/generate/memory.hpp"

namespace ringmark::analysis {

/// One configuration on one cluster. Indices are those of the scenario's lists.
struct PlanRow {
  std::size_t model, cluster, nodes_index;
  int stage;
  bool recompute;
  int micro_batch, accumulation, nodes;  ///< accumulation 0: the global batch cannot be divided so
  double ranks = 0;
  double memory_GB = 0;
  bool fits = false;  ///< in memory, and the batch can be divided
  // All of an optimizer step; what does not fit has none of these.
  double compute_s = 0;
  double gradient_s = 0, parameter_s = 0;  ///< communication
  double window_s = 0;                     ///< of computation that gradients (stage 3: all) can hide behind
  /// The replayer's step over compute_s and what the arithmetic takes to be exposed; 1 where it was not asked.
  double replay_factor = 1;
  bool is_replayed = false;
  double exposed_s = 0, step_s = 0;
  double tokens_per_s = 0, samples_per_s = 0;  ///< without failures
  double mfu = 0;                              ///< share of the peak, by 6 operations and PaLM's of attention
  std::size_t smallest = 0;   ///< the row of the same configuration on the fewest nodes that it fits on
  double scaling_factor = 0;  ///< throughput per GPU against that row
  double goodput = 1;         ///< share of the time that failures leave
  double days = 0, cost = 0, cost_per_Btok = 0, energy_MWh = 0;  ///< with failures and utilisation
  /// The operators' time of a micro-step over that of all operations at one efficiency; 1 without a device.
  double compute_factor = 1;
  std::optional<double> interval_low_s, interval_high_s;  ///< of step_s, in nine of ten cases
  std::optional<double> hidden_from_GBps;                 ///< at that rate the network is no longer the bottleneck
  bool is_best = false;                                   ///< the fastest for its model, cluster and nodes, or as fast
  bool is_beyond_fit = false;                             ///< more ranks than the fit of its path has seen
};

/// The inputs of the replayer's sum of memory.
replay::StepSettings memory_settings(const Scenario& scenario, const PlanRow& row);
replay::MemoryShape memory_shape(const ModelShape& model, bool recompute);

/// Ranks, accumulation, memory, and whether the row fits.
void take_place(const Scenario& scenario, PlanRow& row);

/// The step by arithmetic alone, in `micro_s` seconds of computation for a micro-step where operators tell them.
void estimate_step(const Scenario& scenario, std::optional<double> micro_s, PlanRow& row);

/// Fills in the figures that follow from compute_s, exposed_s and step_s.
void estimate_costs(const Scenario& scenario, PlanRow& row);

}  // namespace ringmark::analysis
