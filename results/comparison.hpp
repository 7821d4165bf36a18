// How much faster one setting is than another, over launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace ringmark {

/// Of geometric means: below 1 the first is smaller. The interval and the two-sided p are Welch's, of the logarithms;
/// there are none with fewer than two values on either side.
struct Ratio {
  double value;
  std::optional<Interval> interval;
  std::optional<double> p;
};

/// `confidence` such as 0.95. Both sides have at least one value, all above 0; one value is one launch.
Ratio ratio_of(const std::vector<double>& times, const std::vector<double>& baseline, double confidence);

/// "12.3 % faster", "3.1 times slower".
std::string difference_words(double ratio);

/// "12.3 % faster (10.1 to 14.4)", "3.0 % faster (8.0 % faster to 1.2 % slower)".
std::string with_interval(double ratio, Interval interval);

/// "12.3 % faster (10.1 to 14.4)", "no difference shown (2 % faster to 3 % slower)".
std::string in_words(const Ratio& ratio);

/// True if the whole interval lies below 1.
bool is_shown_faster(const Ratio& ratio);

}  // namespace ringmark
