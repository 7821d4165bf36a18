// The steps of a plan, as `ringmark-replay predict` predicts them for the same settings.
#pragma once

#include "analysis/plan/plan_row.hpp"
#include "analysis/plan/step_cache.hpp"
#include "replay/predict/network.hpp"

namespace ringmark::analysis {

/// The links of a cluster's GPUs.
replay::Links links_of(const Cluster& cluster);

/// Steps of one scenario.
class StepModel {
 public:
  StepModel(const Scenario& scenario, StepCache& cache) : scenario_(scenario), cache_(cache) {}

  /// Fills in the row's memory, whether it fits and, if so, a lower bound of its step.
  void place(PlanRow& row);

  /// Simulates a row that fits and takes its costs. More than four micro-steps are extrapolated from the third and
  /// fourth.
  void simulate(PlanRow& row);
  /// Simulates it again at both ends of its bandwidths' ranges, and takes the costs with the resulting spread of the
  /// step.
  void take_rates(PlanRow& row);

 private:
  double least_s(const PlanRow& row);
  RoleSteps::Times times_of(const PlanRow& row, const Cluster& cluster);
  replay::ComputeModel compute_model(const Cluster& cluster) const;

  const Scenario& scenario_;
  StepCache& cache_;
};

}  // namespace ringmark::analysis
