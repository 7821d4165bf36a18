// Tells whether ranks have the same step.
#pragma once

#include <cstdint>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// A hash of the facts on which ranks must agree: the ordered events and their groups. Different traces almost always
/// have different fingerprints.
std::uint64_t fingerprint(const StepTrace& trace);
std::uint64_t fingerprint(const RoleTrace& trace);

}  // namespace ringmark::replay
