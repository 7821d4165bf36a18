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

/// Huber's regression of levels on a shape between 0 and 1. `noise` is above 0.
RobustFit fit_shape(std::span<const double> levels, std::span<const double> shape, double noise);

/// Twice Huber's loss of levels around their own location.
double cost_of_level(std::span<const double> levels, double noise);

}  // namespace ringmark::history
