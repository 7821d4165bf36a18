// Describes a schedule as text.
#pragma once

#include <string>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// Lists each rank's sends and receives step by step, with chunk ranges and bytes, and the totals per rank. With more
/// than `most_ranks` ranks it shows only the first rank of each symmetry class, with a note.
std::string explain(const Schedule& schedule, const Operation& operation, int most_ranks = 16);

}  // namespace ringmark
