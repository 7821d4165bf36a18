// Problems that RAS reports, and contradictions between its reports and the records of the ranks.
#pragma once

#include <vector>

#include "analysis/job/finding.hpp"
#include "analysis/job/waits.hpp"

namespace ringmark::analysis::job {

/// Ranks and processes that an observer cannot reach, or that report an error.
std::vector<Finding> unwell_ranks(const Evidence& evidence);
/// Ranks that launched fewer operations than others. One report cannot tell stuck ranks from ranks that are still
/// catching up; two with the same counts can.
std::vector<Finding> differing_counts(const Evidence& evidence);
/// Reports an observer that finds nothing wrong while ranks wait, that cannot reach a rank although it left a dump, or
/// that lists ranks other than those in `hung`.
std::vector<Finding> contradictions(const Evidence& evidence, const std::vector<Finding>& hung,
                                    const WaitOptions& options);

}  // namespace ringmark::analysis::job
