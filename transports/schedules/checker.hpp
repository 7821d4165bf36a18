// Proves by symbolic execution that a schedule is correct for a given number of ranks.
#pragma once

#include <optional>
#include <string>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// Compiles and runs every rank's program with sets of contributions in place of numbers. Returns a description of the
/// first defect, or empty if
///  - every result contains the contribution of every rank exactly once (or the right block), and `reduce_last` marks
///    exactly the reduction that completes it;
///  - each receive matches the chunk that the peer sends at that point; in an all_to_all, both ends also know the rank
///    where it began, so that they agree on its length whatever the counts;
///  - no location is overwritten before an earlier send has read it, or read before it is written;
///  - the ranks never wait for each other in a cycle, neither with the plain nor with the gathered() program.
/// The last point is shown under the strictest rules that an executor can have: no buffering, and each list strictly
/// from the front. Such a system has the same outcome under every interleaving (it is a Kahn network). An executor that
/// buffers more or posts earlier only adds outcomes that terminate.
std::optional<std::string> find_defect(const Schedule& schedule, Collective collective, int root = 0,
                                       bool in_place = false, Pattern pattern = Pattern::ring);

}  // namespace ringmark
