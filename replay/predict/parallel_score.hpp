// Predictions of steps with roles against measured ones.
#pragma once

#include <optional>
#include <vector>

#include "replay/predict/parallel_steps.hpp"
#include "replay/predict/scorecard.hpp"

namespace ringmark::replay {

/// With `device`, or each with its own. Steps that cannot be predicted have the reason.
std::vector<ScoredStep> score(const std::vector<ParallelStep>& steps, const std::optional<Device>& device);

}  // namespace ringmark::replay
