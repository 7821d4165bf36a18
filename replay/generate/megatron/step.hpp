// One optimizer step of Megatron-core, in the steady state.
#pragma once

#include "replay/generate/megatron/settings.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay::megatron {

/// A role for each pipeline stage. Throws BadUsage for settings that contradict each other.
RoleTrace generate(const Settings& settings);

}  // namespace ringmark::replay::megatron
