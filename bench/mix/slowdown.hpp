// How much slower a group is beside others than alone, by rounds that had both.
#pragma once

#include <optional>
#include <vector>

#include "results/statistics.hpp"

namespace ringmark::mix {

/// The times of a group's operations in one round.
struct RoundTimes {
  std::vector<double> alone_us, together_us;
};

struct Ratio {
  double value = 1;
  std::optional<Interval> interval;  ///< 95 %; nothing with fewer than six rounds
};

struct Slowdown {
  std::optional<Ratio> median;  ///< the median over rounds of the ratio of medians
  std::optional<Ratio> p99;     ///< of all rounds together; nothing with fewer than 100 operations
};

/// Rounds are the unit: they are resampled for the interval of the 99th percentile.
Slowdown slowdown_of(const std::vector<RoundTimes>& rounds);

}  // namespace ringmark::mix
