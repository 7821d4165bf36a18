// A least-squares fit of a device's constants that begins with what is known of them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace ringmark::replay {

/// Logarithms of the shares of products, attention and memory's bandwidth, and of the time of a launch.
constexpr std::size_t constants = 4;
using Vector = std::array<double, constants>;
/// The first constants have a part in common.
constexpr std::size_t sharing = 3;

/// Of the steps that are fitted to: how the constants' logarithms differ.
struct Prior {
  Vector spread;  ///< standard deviation of each by itself
  double common;  ///< of what the first three share: the quality of the software
};

/// Standard deviation of a step's logarithm around the prediction with the right constants.
constexpr double step_spread = 0.05;

/// The normal equations of a weighted least-squares fit with a prior.
class PriorFit {
 public:
  /// The prior's precision: the inverse of a diagonal matrix and the common part (Sherman and Morrison).
  explicit PriorFit(const Prior& prior) {
    Vector precision{};
    double sum = 1 / (prior.common * prior.common);
    for (std::size_t i = 0; i < constants; ++i) {
      precision[i] = 1 / (prior.spread[i] * prior.spread[i]);
      if (i < sharing) sum += precision[i];
    }
    for (std::size_t i = 0; i < constants; ++i) {
      matrix_[i][i] = precision[i];
      for (std::size_t j = 0; i < sharing && j < sharing; ++j) matrix_[i][j] -= precision[i] * precision[j] / sum;
    }
  }

  void add(const Vector& slopes, double target, double weight) {
    const double precision = weight / (step_spread * step_spread);
    for (std::size_t i = 0; i < constants; ++i) {
      for (std::size_t j = 0; j < constants; ++j) matrix_[i][j] += precision * slopes[i] * slopes[j];
      right_[i] += precision * slopes[i] * target;
    }
  }

  Vector solution() const { return solve(right_); }

  /// Standard deviation that is left of a constant.
  double spread_of(std::size_t constant) const {
    Vector unit{};
    unit[constant] = 1;
    return std::sqrt(solve(unit)[constant]);
  }

 private:
  /// By Gaussian elimination: the matrix is positive definite.
  Vector solve(Vector right) const {
    auto m = matrix_;
    for (std::size_t i = 0; i < constants; ++i) {
      for (std::size_t row = i + 1; row < constants; ++row) {
        const double factor = m[row][i] / m[i][i];
        for (std::size_t column = i; column < constants; ++column) m[row][column] -= factor * m[i][column];
        right[row] -= factor * right[i];
      }
    }
    for (std::size_t i = constants; i-- > 0;) {
      for (std::size_t column = i + 1; column < constants; ++column) right[i] -= m[i][column] * right[column];
      right[i] /= m[i][i];
    }
    return right;
  }

  std::array<Vector, constants> matrix_{};
  Vector right_{};
};

}  // namespace ringmark::replay
