#include "bench/mix/pace.hpp"

#include <algorithm>

namespace ringmark::mix {

Pace::Pace(const std::vector<MixGroup>& groups, std::chrono::duration<double> window, int ranks)
    : window_us_(window.count() * 1e6),
      most_times_(std::clamp(2'000'000 / ranks, 100, 20'000)),
      together_us_(groups.size()) {
  for (const auto& group : groups)
    alone_us_.push_back(static_cast<double>(total_bytes(group.operation(), static_cast<int>(group.ranks.size()))));
}

std::vector<int> Pace::times_together() const {
  std::vector<int> times;
  for (const double us : together_us_) times.push_back(times_for(us));
  return times;
}

int Pace::times_for(double operation_us) const {
  constexpr double least = 3;
  return static_cast<int>(
      std::clamp(window_us_ / std::max(operation_us, 1.0), least, static_cast<double>(most_times_)));
}

Clock::duration Pace::longest(const std::vector<std::size_t>& groups, const std::vector<int>& times) const {
  const auto& last_us = groups.size() == 1 ? alone_us_ : together_us_;
  double longest_us = 0;
  for (const auto group : groups) longest_us = std::max(longest_us, times[group] * last_us[group]);
  const double safety = 2 * static_cast<double>(groups.size());
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::micro>(safety * longest_us));
}

}  // namespace ringmark::mix
