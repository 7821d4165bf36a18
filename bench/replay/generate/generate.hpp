// The collectives of one optimizer step in the steady state, as the framework really issues them.
#pragma once

#include "bench/replay/generate/step_settings.hpp"
#include "bench/replay/model/model.hpp"
#include "bench/replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Throws BadUsage for settings that contradict each other.
StepTrace generate(const Model& model, const StepSettings& settings);

}  // namespace ringmark::replay
