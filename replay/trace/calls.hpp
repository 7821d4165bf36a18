// The calls of one rank in the order in which it issues them.
#pragma once

#include <iosfwd>

#include "replay/trace/role_trace_file.hpp"

namespace ringmark::replay {

/// A JSON object on each line: op, n (elements of the full tensor; of an all_to_all the rank's own input), dtype, group
/// (global ranks), async, phase, and where they apply red, root, peer (global ranks), counts (parts of an all_to_all
/// that are unequal, or depend on routing; equal ones are assumed there), batch (calls of one launch) and mb
/// (micro-batch). Calls in groups of a single rank are left out. Throws BadUsage if the trace has no such rank.
void write_calls(const AnyTrace& trace, int rank, std::ostream& out);

}  // namespace ringmark::replay
