// The parameters in a step trace's header, which shaped the step.
#pragma once

#include <map>
#include <string>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// All but ranks, micro-steps, batch and sequence, by their names in the file; numbers and booleans as text.
std::map<std::string, std::string> all_parameters(const StepTrace& trace);

/// Fills in the field of that name. A value that the field cannot hold stays in `parameters`, as an unknown name does.
void set_parameter(const std::string& name, const std::string& text, StepTrace& trace);

}  // namespace ringmark::replay
