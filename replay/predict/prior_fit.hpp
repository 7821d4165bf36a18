// A least-squares fit of a device's constants that starts from what is known about them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace ringmark::replay {

/// Logarithms of the efficiencies of products, attention and memory bandwidth, and of the launch time.
constexpr std::size_t fitted_constants = 4;
using ConstantVector = std::array<double, fitted_constants>;
/// The first constants have a component in common.
constexpr std::size_t sharing_constants = 3;

/// How the constants' logarithms differ among the steps that are fitted to.
struct Prior {
  ConstantVector spread;  ///< standard deviation of each by itself
  double common;          ///< of the component that the first three share: the quality of the software
};

/// Standard deviation of a step's logarithm around the prediction with the right constants.
constexpr double spread_of_a_step = 0.05;

/// The normal equations of a weighted least-squares fit with a prior.
class PriorFit {
 public:
  /// The prior's precision: the inverse of a diagonal matrix and the common part (Sherman and Morrison).
  explicit PriorFit(const Prior& prior) {
    ConstantVector precision{};
    double sum = 1 / (prior.common * prior.common);
    for (std::size_t i = 0; i < fitted_constants; ++i) {
      precision[i] = 1 / (prior.spread[i] * prior.spread[i]);
      if (i < sharing_constants) sum += precision[i];
    }
    for (std::size_t i = 0; i < fitted_constants; ++i) {
      matrix_[i][i] = precision[i];
      for (std::size_t j = 0; i < sharing_constants && j < sharing_constants; ++j)
        matrix_[i][j] -= precision[i] * precision[j] / sum;
    }
  }

  void add(const ConstantVector& slopes, double target, double weight) {
    const double precision = weight / (spread_of_a_step * spread_of_a_step);
    for (std::size_t i = 0; i < fitted_constants; ++i) {
      for (std::size_t j = 0; j < fitted_constants; ++j) matrix_[i][j] += precision * slopes[i] * slopes[j];
      right_[i] += precision * slopes[i] * target;
    }
  }

  ConstantVector solution() const { return solve(right_); }

  /// Posterior standard deviation of a constant.
  double spread_of(std::size_t constant) const {
    ConstantVector unit{};
    unit[constant] = 1;
    return std::sqrt(solve(unit)[constant]);
  }

 private:
  /// Gaussian elimination without pivoting, since the matrix is positive definite.
  ConstantVector solve(ConstantVector right) const {
    auto m = matrix_;
    for (std::size_t i = 0; i < fitted_constants; ++i) {
      for (std::size_t row = i + 1; row < fitted_constants; ++row) {
        const double factor = m[row][i] / m[i][i];
        for (std::size_t column = i; column < fitted_constants; ++column) m[row][column] -= factor * m[i][column];
        right[row] -= factor * right[i];
      }
    }
    for (std::size_t i = fitted_constants; i-- > 0;) {
      for (std::size_t column = i + 1; column < fitted_constants; ++column) right[i] -= m[i][column] * right[column];
      right[i] /= m[i][i];
    }
    return right;
  }

  std::array<ConstantVector, fitted_constants> matrix_{};
  ConstantVector right_{};
};

}  // namespace ringmark::replay
