// Series for tests: daily launches with normal noise.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "history/questions/point.hpp"

namespace ringmark::history {

inline std::chrono::sys_seconds day(int number) { return std::chrono::sys_days{std::chrono::days(20000 + number)}; }

/// `shift` is the logarithm of what the level is multiplied by on a day.
inline std::vector<Point> daily(
    int days, double percent, std::uint64_t seed, const std::function<double(int)>& shift = [](int) { return 0.0; }) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Point> points;
  for (int i = 0; i < days; ++i) {
    points.push_back({day(i), 100 * std::exp(percent / 100 * normal(random) + shift(i))});
  }
  return points;
}

inline std::function<double(int)> step_at(int first, double percent) {
  return [=](int i) { return i >= first ? std::log1p(percent / 100) : 0; };
}

}  // namespace ringmark::history
