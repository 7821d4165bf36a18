#include "history/questions/against.hpp"

namespace ringmark::history {

std::optional<LaunchTimes> against(std::span<const Point> points, std::chrono::sys_seconds date,
                                   std::chrono::sys_seconds begin, std::chrono::days days) {
  LaunchTimes sides;
  for (const auto& [time, value] : points) {
    if (time >= date - days && time < date) sides.baseline_us.push_back(value);
    if (time >= begin && time < begin + days) sides.times_us.push_back(value);
  }
  if (sides.times_us.empty() || sides.baseline_us.empty()) return std::nullopt;
  return sides;
}

}  // namespace ringmark::history
