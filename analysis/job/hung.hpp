// The ranks that others wait for.
#pragma once

#include <vector>

#include "analysis/job/finding.hpp"
#include "analysis/job/waits.hpp"

namespace ringmark::analysis::job {

/// Follows chains of waiting ranks to their start, and names only that: ranks that left no dump, that called a
/// different collective, or that wait for nothing themselves. In a cycle of waiting ranks, names the smallest group.
std::vector<Finding> hung_ranks(const Evidence& evidence, const WaitOptions& options);

}  // namespace ringmark::analysis::job
