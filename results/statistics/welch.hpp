// Welch's test of logarithms: how many times larger one mean is than another.
#pragma once

#include <optional>
#include <vector>

#include "results/statistics/statistics.hpp"

namespace ringmark {

/// The ratio is of geometric means. It has no interval and no p with fewer than two values on either side.
struct WelchRatio {
  double value;
  std::optional<Interval> interval;
  std::optional<double> p;  ///< two-sided
};

/// `confidence` is for example 0.95. Both sides need at least one value, all above 0. Assumes that the logarithms are
/// normally distributed.
WelchRatio welch_ratio(const std::vector<double>& values, const std::vector<double>& baseline, double confidence);
/// The same for two sides that are of one setting and scatter alike, by Student's test. One value on a side is enough
/// if the other has two.
WelchRatio ratio_of_alike(const std::vector<double>& values, const std::vector<double>& baseline, double confidence);
/// The same against a number that does not scatter, by Student's test.
WelchRatio ratio_to_exact(const std::vector<double>& values, double baseline, double confidence);

}  // namespace ringmark
