// The launches before a date and after it, for compare_launches().
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "history/questions/point.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::history {

/// The baseline has the launches of the `days` before the date, the other side those of the same number of days from
/// `begin` on, which is the date or later. Empty if either side has none.
std::optional<LaunchTimes> against(std::span<const Point> points, std::chrono::sys_seconds date,
                                   std::chrono::sys_seconds begin, std::chrono::days days);

}  // namespace ringmark::history
