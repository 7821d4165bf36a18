// Finds the ranks that arrive late at a step's collectives.
#pragma once

#include <span>
#include <vector>

namespace ringmark::replay {

struct Arrivals {
  double skew_us = 0;           ///< mean over the collectives: from the first rank's entry to the last one's
  std::vector<double> late_us;  ///< by rank: delay after the median rank's entry, summed over the collectives
};

/// `entries_us` are the entries into the collectives of all ranks: first those of rank 0, then of rank 1, and so on, on
/// a common clock with an error of `clock_error_us` between ranks. Smaller delays do not count.
Arrivals compare_arrivals(std::span<const double> entries_us, int ranks, double clock_error_us);

}  // namespace ringmark::replay
