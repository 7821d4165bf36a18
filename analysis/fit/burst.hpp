// The bytes that a link lets through at once after a rest, from ringmark-link measurements.
#pragma once

#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// The burst of each path that has rows of the tests `burst` and `bandwidth`, in whole KiB: the part of the message
/// whose transfer the bandwidth does not explain. `latency` is subtracted if it was measured. Appends a note for each
/// path without a result. The caller passes rows of links between hosts only.
std::vector<FitBurst> bursts_in(const Table& table, const std::vector<std::size_t>& rows,
                                std::vector<std::string>& notes);

}  // namespace ringmark::analysis
