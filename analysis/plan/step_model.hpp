// The steps of a plan: those that `ringmark-replay predict` has for the same settings.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "analysis/plan/plan_row.hpp"
#include "replay/predict/network.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::analysis {

/// The links of a cluster's GPUs.
replay::Links links_of(const Cluster& cluster);

/// Generated steps. It keeps those of the model, ranks and ranks of a node that were last asked for, whatever their
/// cluster, so ask for rows of the same three one after another.
class Traces {
 public:
  const replay::StepTrace& of(const replay::Model& model, const replay::StepSettings& settings);

 private:
  const replay::Model* model_ = nullptr;
  int ranks_ = 0, ranks_per_node_ = 0;
  using Key = std::tuple<int, int, replay::Recompute, std::uint64_t, int>;
  std::map<Key, replay::StepTrace> traces_;  ///< by stage, group, recomputation, micro-batch and micro-steps
};

/// Steps of one scenario. Scenarios that differ in their clusters alone can share traces.
class StepModel {
 public:
  StepModel(const Scenario& scenario, Traces& traces) : scenario_(scenario), traces_(traces) {}

  /// Seconds of the forward and backward computation of a row that fits.
  double least_s(const PlanRow& row);

  /// Simulates a row that fits and takes its costs. More than four micro-steps are continued from the third and fourth.
  void simulate(PlanRow& row);
  /// Simulates it again with the ends of its bandwidths' ranges, and takes the costs with what they do to the step.
  void take_rates(PlanRow& row);

 private:
  struct Times {
    double compute_s = 0, step_s = 0;
  };
  /// The cluster's bandwidths times these.
  struct Rates {
    double network = 1, intra = 1;
    auto operator<=>(const Rates&) const = default;
  };
  Times times_of(const PlanRow& row, int micro_steps, const Rates& rates);
  Times times_of(const PlanRow& row, const Rates& rates);
  replay::ComputeModel compute_model(const Cluster& cluster) const;
  replay::Network& network_of(std::size_t cluster, const Rates& rates);

  const Scenario& scenario_;
  Traces& traces_;
  std::map<std::pair<std::size_t, Rates>, std::unique_ptr<replay::Network>> networks_;  ///< by cluster; they cache
  using Key = std::tuple<std::size_t, std::size_t, int, replay::Recompute>;
  std::map<Key, double> micro_steps_s_;  ///< by model, cluster, micro-batch and recomputation
};

}  // namespace ringmark::analysis
