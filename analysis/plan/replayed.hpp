// Steps as the replayer predicts them, for plans.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "analysis/plan/estimate.hpp"
#include "replay/model/model.hpp"
#include "replay/predict/network.hpp"

namespace ringmark::analysis {

/// The predicted steps of one scenario.
class ReplayedSteps {
 public:
  /// Seconds of the row's step: the collectives that DeepSpeed issues, under the rules by which they overlap, on the
  /// row's path and beside the row's computation. Nothing for a model that was given by its shape alone, for one rank,
  /// and for what does not fit.
  std::optional<double> step_s(const Scenario& scenario, const PlanRow& row);

 private:
  std::map<std::size_t, std::optional<replay::Model>> models_;  ///< by the scenario's index
  /// By alpha, rate and burst; they remember.
  std::map<std::array<double, 3>, std::unique_ptr<replay::Network>> networks_;
};

}  // namespace ringmark::analysis
