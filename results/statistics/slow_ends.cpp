#include "results/statistics/slow_ends.hpp"

#include "results/statistics/rank_test.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark {

std::vector<SlowEnd> slow_ends(const std::vector<LinkTime>& links, std::size_t ends, const SlowEndLimits& limits) {
  std::vector<double> p_values, ratios;
  for (std::size_t end = 0; end < ends; ++end) {
    std::vector<double> with, without;
    for (const auto& link : links) (link.from == end || link.to == end ? with : without).push_back(link.time_us);
    const bool any = !with.empty() && !without.empty();
    const double ratio = any ? median(with) / median(without) : 1;
    p_values.push_back(any && ratio > 1 ? mann_whitney_p(with, without) : 1);
    ratios.push_back(ratio);
  }
  const auto corrected = holm(p_values);
  std::vector<SlowEnd> slow;
  for (std::size_t end = 0; end < ends; ++end) {
    if (corrected[end] < limits.level && ratios[end] >= limits.least_ratio)
      slow.push_back({end, ratios[end], corrected[end]});
  }
  return slow;
}

}  // namespace ringmark
