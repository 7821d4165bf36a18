// Summarises a trace for people.
#pragma once

#include <string>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Calls, elements and wire bytes of each phase and operation; with `events` also each event on its own line.
std::string show(const StepTrace& trace, bool events);

/// 1234567890 bytes as "1.15 GiB".
std::string readable_bytes(double bytes);

}  // namespace ringmark::replay
