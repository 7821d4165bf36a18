// Who comes late to a step's collectives.
#pragma once

#include <span>
#include <vector>

namespace ringmark::replay {

struct Arrivals {
  double skew_us = 0;           ///< from the first rank's entry to the last one's, mean over the collectives
  std::vector<double> late_us;  ///< by rank: after the median rank's entry, summed over the collectives
};

/// Of collectives in which all ranks take part: their entries on rank 0, then those on rank 1, and so on, on one clock
/// that may be off by `clock_error_us` between ranks. What is less than that is no lateness.
Arrivals compare_arrivals(std::span<const double> entries_us, int ranks, double clock_error_us);

}  // namespace ringmark::replay
