// Generates the collectives of one optimizer step in the steady state, as the framework really issues them.
#pragma once

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Throws BadUsage for settings that contradict each other.
StepTrace generate(const Model& model, const StepSettings& settings);

/// The same for a trace that nobody keeps, in half of the time: whether its overlap is the framework's own is not found
/// out.
StepTrace generate_briefly(const Model& model, const StepSettings& settings);

}  // namespace ringmark::replay
