// How much faster one setting is than another, over launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace ringmark::sweep {

/// Of geometric means: below 1 the first is smaller. The interval is Welch's, of the logarithms; there is none with
/// fewer than two values on either side.
struct Ratio {
  double value;
  std::optional<Interval> interval;
};

/// `confidence` such as 0.95. Both sides have at least one value, all above 0; one value is one launch.
Ratio ratio_of(const std::vector<double>& times, const std::vector<double>& baseline, double confidence);

/// "12.3 % faster (10.1 to 14.4)", "no difference shown (2 % faster to 3 % slower)".
std::string in_words(const Ratio& ratio);

/// True if the whole interval lies below 1.
bool is_shown_faster(const Ratio& ratio);

}  // namespace ringmark::sweep
