// How much slower a group is together with others than alone, over rounds that had both.
#pragma once

#include <optional>
#include <vector>

#include "results/statistics/statistics.hpp"

namespace ringmark::mix {

/// The times of a group's operations in one round.
struct RoundTimes {
  std::vector<double> alone_us, together_us;
};

struct Ratio {
  double value = 1;
  std::optional<Interval> interval;  ///< 95 %; empty with fewer than six rounds
};

struct Slowdown {
  std::optional<Ratio> median;  ///< the median over rounds of the ratio of medians
  std::optional<Ratio> p99;     ///< over all rounds together; empty with fewer than 100 operations
};

/// The interval of the 99th percentile is a bootstrap that resamples whole rounds.
Slowdown slowdown_of(const std::vector<RoundTimes>& rounds);

}  // namespace ringmark::mix
