// A Gaussian process over settings (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, ch. 2 and
// 5): it predicts a setting's time from launches of this setting and of near ones.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "sweeps/tune/space.hpp"

namespace ringmark::sweep {

struct Belief {
  double mean, deviation;  ///< for the setting's true value, without a launch's noise
};

/// Matérn 5/2 with a length scale for each group of coordinates. Several launches of a setting are separate
/// observations: their differences show the noise.
class GaussianProcess {
 public:
  struct Parameters {
    Eigen::VectorXd log_lengths;
    double log_noise;  ///< variance of a launch over the variance of the function
  };

  explicit GaussianProcess(const Space& space);

  /// Finds the parameters that maximise likelihood and priors. The result depends only on the observations.
  void learn(const std::vector<std::size_t>& points, const std::vector<double>& values);
  /// Sets the observations for later beliefs, without changing the parameters.
  void observe(const std::vector<std::size_t>& points, const std::vector<double>& values);
  Belief at(std::size_t point) const;
  /// Variance of one launch around the setting's true value.
  double noise_variance() const { return std::exp(parameters_.log_noise) * solution_.variance; }

 private:
  struct Solution {
    Eigen::LLT<Eigen::MatrixXd> factor;
    Eigen::VectorXd weights;
    double mean, variance, log_posterior;
  };

  /// For each coordinate: one over its squared length.
  Eigen::ArrayXd precisions(const Parameters& parameters) const;
  Solution solve(const Parameters& parameters) const;
  void search_parameters();

  const Space& space_;
  Parameters parameters_;
  std::vector<std::size_t> points_;
  Eigen::VectorXd values_;
  Eigen::ArrayXd precisions_;
  Solution solution_;
};

}  // namespace ringmark::sweep
