// Whether the ranks of a step come to its end, or wait for each other forever.
#pragma once

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// A message is sent without a wait for its receiver. Groups must fit the ranks, and messages those that are received.
bool comes_to_its_end(const RoleTrace& trace);

}  // namespace ringmark::replay
