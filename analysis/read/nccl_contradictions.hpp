// Contradictions within a launch of nccl-tests: rows of several runs in one table, and values that cannot all be true.
#pragma once

#include <string>

#include "analysis/read/nccl_launch.hpp"

namespace ringmark::analysis {

/// Why its lines are of several launches; empty if they may be of one. A rank that is listed twice, several headers
/// above several rows of a size, or rows of two runs in turns below one header say so. A table that is repeated from
/// its first size on is one launch's (-N).
std::string why_mixed(const NcclLaunch& launch);

/// Which values of a row exclude each other by more than their rounding; empty if none do.
std::string contradiction_in(const NcclFigures& figures, Collective collective, int ranks);

}  // namespace ringmark::analysis
