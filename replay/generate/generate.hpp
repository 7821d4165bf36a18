// Generates the collectives of one optimizer step in the steady state, as the framework actually issues them.
#pragma once

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Throws BadUsage for settings that contradict each other.
StepTrace generate(const Model& model, const StepSettings& settings);

/// The same in half the time, for a trace that is not kept: the trace does not state whether the overlap is the
/// framework's own.
StepTrace generate_briefly(const Model& model, const StepSettings& settings);

}  // namespace ringmark::replay
