// Steps as the replayer predicts them, for plans.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "analysis/plan/estimate.hpp"
#include "replay/model/model.hpp"
#include "replay/predict/network.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::analysis {

/// The predicted steps of one scenario. Ask for rows of the same model and ranks one after another: they share traces,
/// whatever their cluster.
class ReplayedSteps {
 public:
  /// Seconds of the row's step: the collectives that DeepSpeed issues, under the rules by which they overlap, on the
  /// row's path and beside the row's computation. Many micro-steps are continued from four. Nothing for a model that
  /// was given by its shape alone, for one rank, and for what does not fit.
  std::optional<double> step_s(const Scenario& scenario, const PlanRow& row);

 private:
  double simulated_s(const Scenario& scenario, const PlanRow& row, int micro_steps);
  const replay::StepTrace& trace_of(const Scenario& scenario, const PlanRow& row, int micro_steps);

  /// By alpha, rate and burst; they remember.
  std::map<std::array<double, 3>, std::unique_ptr<replay::Network>> networks_;
  std::array<double, 3> traced_{};  ///< model, ranks and ranks of a node
  /// For these three, by stage, recomputation, micro-batch and micro-steps.
  std::map<std::array<int, 4>, replay::StepTrace> traces_;
};

}  // namespace ringmark::analysis
