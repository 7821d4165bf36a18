// A schedule in words, for a person.
#pragma once

#include <string>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// What each rank sends and receives, step by step, with chunk ranges and bytes, and the totals per rank.
/// Beyond `most_ranks` ranks only the first of each symmetry class is shown, and said so.
std::string explain(const Schedule& schedule, const Operation& operation, int most_ranks = 16);

}  // namespace ringmark
