// A series: the times of one operation in one setting, launch by launch.
#pragma once

#include <chrono>
#include <cstddef>

namespace ringmark::history {

/// One launch.
struct Point {
  std::chrono::sys_seconds time;
  double value;  ///< its median time in µs, above 0
};

}  // namespace ringmark::history
