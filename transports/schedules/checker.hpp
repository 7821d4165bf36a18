// Proof by symbolic execution that a schedule is right, for given ranks.
#pragma once

#include <optional>
#include <string>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// Compiles and runs every rank's program with sets of contributions in place of numbers. Returns the first defect in
/// words, or nothing if
///  - every result holds the contribution of every rank exactly once (or the right block), and `reduce_last` is said
///    exactly where that becomes true;
///  - what a rank sends is what its peer receives at that point;
///  - no location is overwritten that an earlier send still has to read, or read before it is written;
///  - the ranks never wait for each other in a circle, also with what goes to one peer gathered.
/// The last is shown under the strictest rules an executor can have: no buffering at all, each list strictly from the
/// front. Such a system has one outcome whatever the interleaving (it is a Kahn network), and every executor that
/// buffers more or posts earlier only adds outcomes that end.
std::optional<std::string> find_defect(const Schedule& schedule, Collective collective, int root = 0,
                                       bool in_place = false);

}  // namespace ringmark
