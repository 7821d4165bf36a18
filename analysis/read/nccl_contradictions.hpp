// Contradictions within a launch of nccl-tests: rows of several runs in one table, and values that cannot all be true.
#pragma once

#include <string>

#include "analysis/read/nccl_launch.hpp"

namespace ringmark::analysis {

/// Why its lines belong to several launches; empty if they may belong to one. The signs are a rank that is listed
/// twice, several headers above several rows of a size, or interleaved rows of two runs below one header. A table that
/// repeats from its first size on belongs to one launch (-N).
std::string why_mixed(const NcclLaunch& launch);

/// Which values of a row contradict each other by more than their rounding; empty if none do.
std::string contradiction_in(const NcclFigures& figures, Collective collective, int ranks);

}  // namespace ringmark::analysis
