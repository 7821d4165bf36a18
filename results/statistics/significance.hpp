// Whether launches of one setting differ from launches of another, without assuming a distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/statistics/rank_test.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark {

/// median(a) / median(b) with its percentile-bootstrap interval over both sides' values. The same seed yields the same
/// interval.
struct BootstrapRatio {
  double value;
  Interval interval;
};
BootstrapRatio ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b, double confidence,
                                std::uint64_t seed);

/// Cliff's delta: P(a < b) - P(a > b), from -1 to 1.
double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ringmark
