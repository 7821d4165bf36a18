// One configuration of a plan on one cluster: memory, step, and the days and money that follow from it.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/plan/parallelism.hpp"
#include "analysis/plan/role_steps.hpp"
#include "analysis/plan/scenario.hpp"
#include "analysis/plan/spread.hpp"
#include "replay/generate/memory.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/step/interval.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

/// Indices are those of the scenario's lists.
struct PlanRow {
  std::size_t model, cluster, nodes_index;
  int stage;
  int shard_group;  ///< GPUs that share one copy, as StateSharding has it
  Parallelism parallelism;
  replay::Recompute recompute;
  int micro_batch;
  int accumulation;  ///< micro-batches of a copy of the model in a step; 0: the global batch cannot be divided this way
  int nodes;
  replay::Framework::Kind framework = replay::Framework::Kind::deepspeed;
  double ranks = 0;
  double memory_GB = 0;     ///< per GPU, in the fullest pipeline stage
  bool is_possible = true;  ///< false for the only row of a place where no parallelism divides GPUs and layers
  bool fits = false;        ///< in memory, and the batch and the GPUs can be divided
  /// A lower bound of a step that fits: its forward and backward computation with all communication hidden, or, with
  /// roles, RoleSteps::least_s().
  double least_s = 0;
  /// False if `least_s` alone is longer than the steps of the two best configurations of the place. Only a simulated
  /// row has the numbers below.
  bool is_simulated = false;
  /// As predicted: computation, exposed communication and waiting for other pipeline stages make up the step.
  double compute_s = 0, exposed_s = 0, bubble_s = 0, step_s = 0;
  /// 90 % interval and median of the measured time of a step that is predicted to take step_s, at the planned
  /// bandwidths. A cluster without a device has no interval, and its median is step_s.
  std::optional<double> interval_low_s, interval_high_s;
  double median_s = 0;
  double tokens_per_s = 0, samples_per_s = 0;  ///< from the median step, like everything below; without failures
  double mfu = 0;             ///< share of the peak: 6 operations per parameter and token, plus PaLM's for attention
  double scaling_factor = 0;  ///< throughput per GPU, relative to the best on the fewest nodes on which anything fits
  double goodput = 1;         ///< share of the time that failures leave
  double days = 0, cost = 0, cost_per_Btok = 0, energy_MWh = 0;  ///< with failures and utilisation
  /// For a bought cluster: the price of all its GPUs, and the two parts of `cost`; 0 for a rented one.
  double outlay = 0, depreciation = 0, electricity = 0;
  /// How step_s scatters with the bandwidths' ranges; simulated only for the best row of a place.
  Cumulants of_rates;
  /// How the median step, days and cost scatter with every uncertain input. Without a device the prediction error is
  /// unknown and left out.
  Cumulants of_step, of_days, of_cost;
  double price_per_GPU_hour = 0;  ///< on average
  double expected_cost = 0;       ///< the mean
  bool is_best = false;           ///< the fastest for its model, cluster and nodes, or as fast
  bool is_beyond_fit = false;     ///< more ranks than the fit of its path covers

  StateSharding sharding() const { return {stage, shard_group}; }
  bool has_roles() const { return framework == replay::Framework::Kind::megatron; }
  /// Copies of the model that share a batch.
  double copies() const { return ranks / parallelism.model_gpus(); }
  /// True if GPUs divide into equal groups, and micro-batches fill the chunks of a pipeline in turns.
  bool is_divisible() const;
};

/// The row's step as settings of the replayer, which `ringmark-replay predict` takes as flags: without roles, and for
/// Megatron.
replay::StepSettings step_settings(const Scenario& scenario, const PlanRow& row);
replay::megatron::Settings role_settings(const Scenario& scenario, const PlanRow& row);
replay::MemoryShape memory_shape(const ModelShape& model, const replay::Recompute& recompute);

/// The published steps that a scenario's rows draw their errors from.
replay::ComparedSteps compared_steps(const Scenario& scenario);
/// How many published steps the intervals of a cluster with a device cover, and of which kind.
std::string interval_words(const Scenario& scenario, const Cluster& cluster);
/// Explains that all devices share one median, if not all have published steps of the scenario's kind; otherwise empty.
std::string center_words(const Scenario& scenario);
/// Median of measured over predicted time; 1 without a device.
double median_error(const Scenario& scenario, const PlanRow& row);

/// Ranks, accumulation, memory, and whether the row fits.
void take_place(const Scenario& scenario, RoleSteps& role_steps, PlanRow& row);

/// Fills in the numbers that follow from step_s.
void take_costs(const Scenario& scenario, PlanRow& row);

}  // namespace ringmark::analysis
