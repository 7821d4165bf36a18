// The ranks that others wait for.
#pragma once

#include <vector>

#include "analysis/job/finding.hpp"
#include "analysis/job/waits.hpp"

namespace ringmark::analysis::job {

/// Of ranks that wait for each other, those at the beginning are named: ranks that left no dump, that called another
/// collective than the others, or that wait for nothing themselves. Where ranks wait in a circle, the fewest are.
std::vector<Finding> hung_ranks(const Evidence& evidence, const WaitOptions& options);

}  // namespace ringmark::analysis::job
