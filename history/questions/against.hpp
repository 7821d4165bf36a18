// The launches before a date and the recent ones, for compare_launches().
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "history/questions/point.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::history {

/// The recent launches are those of the `days` up to the latest one, on or after the date; the baseline has those of
/// the `days` before the date. Empty if either side has none.
std::optional<LaunchTimes> against(std::span<const Point> points, std::chrono::sys_seconds date,
                                   std::chrono::days days);

}  // namespace ringmark::history
