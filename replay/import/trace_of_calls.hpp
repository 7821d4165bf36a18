// A step trace made of the calls that ranks recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// Calls and computation come from the first recording, counts from all. `groups` are those of the first recording's
/// communicators; calls of a communicator without a group are left out. Notes list what the trace cannot represent.
/// Throws BadUsage if nothing is left.
StepTrace trace_of_calls(const std::vector<Imported>& all, int ranks, const std::vector<std::optional<Group>>& groups,
                         std::vector<std::string>& notes);

}  // namespace ringmark::replay
