// Whether the ranks of a step reach its end, or wait for each other forever.
#pragma once

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// A message is sent without waiting for its receiver. Groups must fit the ranks, and messages those that are received.
bool comes_to_its_end(const RoleTrace& trace);

}  // namespace ringmark::replay
