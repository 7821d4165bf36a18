// The computation of a plan's rows by the operators of a model, on a device that the replayer knows.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "analysis/plan/estimate.hpp"
#include "replay/model/model.hpp"

namespace ringmark::analysis {

/// The model itself, or one of its shape: a GPT-2 as wide and deep, with as many parameters.
replay::Model model_of_shape(const ModelShape& shape);

/// Times of one scenario's micro-steps.
class OperatorTimes {
 public:
  /// Seconds of a micro-step's passes; nothing where the cluster names no device.
  std::optional<double> micro_step_s(const Scenario& scenario, const PlanRow& row);

 private:
  std::map<std::array<std::size_t, 4>, double> times_;  ///< by model, cluster, micro-batch and recomputation
  std::map<std::size_t, replay::Model> models_;
};

}  // namespace ringmark::analysis
