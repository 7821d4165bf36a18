// Problems that RAS reports, and contradictions between its reports and the records of the ranks.
#pragma once

#include <vector>

#include "analysis/job/finding.hpp"
#include "analysis/job/waits.hpp"

namespace ringmark::analysis::job {

/// Ranks and processes that an observer cannot reach.
std::vector<Finding> unwell_ranks(const Evidence& evidence);
/// Ranks that launched fewer operations than others. One report cannot tell them from ranks on their way; two with the
/// same counts can.
std::vector<Finding> differing_counts(const Evidence& evidence);
/// An observer that finds nothing wrong while ranks wait, that cannot reach a rank which left a dump, or that lists
/// other ranks than those that `hung` names.
std::vector<Finding> contradictions(const Evidence& evidence, const std::vector<Finding>& hung,
                                    const WaitOptions& options);

}  // namespace ringmark::analysis::job
