#include "history/questions/against.hpp"

namespace ringmark::history {

std::optional<LaunchTimes> against(std::span<const Point> points, std::chrono::sys_seconds date,
                                   std::chrono::days days) {
  if (points.empty()) return std::nullopt;
  const auto latest = points.back().time;
  LaunchTimes sides;
  for (const auto& [time, value] : points) {
    if (time < date) {
      if (time >= date - days) sides.baseline_us.push_back(value);
    } else if (time > latest - days) {
      sides.times_us.push_back(value);
    }
  }
  if (sides.times_us.empty() || sides.baseline_us.empty()) return std::nullopt;
  return sides;
}

}  // namespace ringmark::history
