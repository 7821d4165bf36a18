// A step trace made of the calls that ranks recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// The first recording gives calls and computation, the others their counts. `groups` are those of its communicators;
/// calls of one without a group are left out. Notes list what the trace cannot hold. Throws BadUsage if nothing is
/// left.
StepTrace trace_of_calls(const std::vector<Imported>& all, int ranks, const std::vector<std::optional<Group>>& groups,
                         std::vector<std::string>& notes);

}  // namespace ringmark::replay
