// One optimizer step of torchtitan, in the steady state.
#pragma once

#include "replay/generate/torchtitan/settings.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay::torchtitan {

/// A role for each rank of a pipeline. Throws BadUsage for settings that contradict each other.
RoleTrace generate(const Settings& settings);

}  // namespace ringmark::replay::torchtitan
