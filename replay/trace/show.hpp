// A trace in words, for a person.
#pragma once

#include <string>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// What the step consists of: calls, elements and wire bytes of each phase and operation; then, if asked for, each
/// event on a line of its own.
std::string show(const StepTrace& trace, bool events);

/// 1234567890 bytes as "1.15 GiB".
std::string readable_bytes(double bytes);

}  // namespace ringmark::replay
