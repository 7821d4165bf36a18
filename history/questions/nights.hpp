// Nights: launches shortly after each other, which share their noise.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "history/questions/point.hpp"

namespace ringmark::history {

struct Night {
  std::chrono::sys_seconds time;  ///< of its first launch
  double level;                   ///< logarithm of the median
  std::size_t first;              ///< index of its first point
};

/// A night has all points within `length` of its first one. Throws BadUsage if a value is not above 0 or a point is
/// earlier than the one before it.
std::vector<Night> nights_of(std::span<const Point> points, std::chrono::seconds length);

}  // namespace ringmark::history
