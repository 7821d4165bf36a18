// Whether the ranks of a step reach its end, or wait for each other forever.
#pragma once

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Senders do not wait for receivers. Groups must fit the ranks, and each message sent must be received.
bool comes_to_its_end(const RoleTrace& trace);

}  // namespace ringmark::replay
