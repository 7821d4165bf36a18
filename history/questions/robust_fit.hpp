// A level and its change by a given shape, fitted so that outliers count little.
#pragma once

#include <cstddef>
#include <span>

namespace ringmark::history {

struct RobustFit {
  double base;    ///< level where the shape is 0
  double change;  ///< from there to where the shape is 1
  double error;   ///< standard error of the change, with the autocorrelation of the residuals
  double cost;    ///< twice Huber's loss, in units of the noise's variance
};

/// Twice Huber's loss of a residual in units of the noise: its square, linear beyond 1.5.
double huber_loss(double residual);

/// Huber's regression of levels on a shape between 0 and 1. `noise` is above 0.
RobustFit fit_shape(std::span<const double> levels, std::span<const double> shape, double noise);

/// Twice Huber's loss of levels around their own location.
double cost_of_level(std::span<const double> levels, double noise);

/// Where a step costs least that leads from the level of the nights before `first` to that of the others, with `margin`
/// nights or more on both sides.
std::size_t best_place(std::span<const double> levels, std::size_t first, std::size_t margin, double noise);

}  // namespace ringmark::history
