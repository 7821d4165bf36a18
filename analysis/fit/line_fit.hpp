// A line with two non-negative parameters through measured times, fitted to relative errors.
#pragma once

#include <optional>
#include <vector>

#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

/// One observation: time = steps * alpha + bytes * beta.
struct Point {
  double steps, bytes, time_us;
};

struct Line {
  double alpha_us = 0, beta_us_per_byte = 0;
  std::optional<Interval> alpha_ci, beta_ci;  ///< 95 %; need three points
  double squares = 0;                         ///< of relative residuals, outliers with less weight
  double residual() const;                    ///< root of their mean
  std::size_t points = 0;

  double predict(const Point& point) const { return point.steps * alpha_us + point.bytes * beta_us_per_byte; }
};

/// Least squares of relative residuals, with Huber's weights against outliers (k = 2.5). At least one point.
Line fit_line(const std::vector<Point>& points);

}  // namespace ringmark::analysis
