// Summarises a trace for people.
#pragma once

#include <string>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Calls, elements and wire bytes of each phase and operation; with `events` also each event on its own line.
std::string show(const StepTrace& trace, bool events);
/// The groups, and calls and wire bytes of each role; with `events` also the passes in order.
std::string show(const RoleTrace& trace, bool events);

/// 1234567890 bytes as "1.15 GiB".
std::string readable_bytes(double bytes);

}  // namespace ringmark::replay
