// Welch's test of the logarithms: how many times larger one mean is than another.
#pragma once

#include <optional>
#include <vector>

#include "results/statistics.hpp"

namespace ringmark {

/// The ratio is that of the geometric means. It has no interval and no p with fewer than two values on either side.
struct WelchRatio {
  double value;
  std::optional<Interval> interval;
  std::optional<double> p;  ///< two-sided
};

/// `confidence` such as 0.95. Both sides have at least one value, all above 0. It assumes that the logarithms scatter
/// normally.
WelchRatio welch_ratio(const std::vector<double>& values, const std::vector<double>& baseline, double confidence);

}  // namespace ringmark
