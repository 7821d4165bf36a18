// A Gaussian process over settings (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, ch. 2 and
// 5): what is known of a setting's time from the launches of it and of settings near it.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "sweeps/tune/space.hpp"

namespace ringmark::sweep {

struct Belief {
  double mean, deviation;  ///< of the setting's true value, without the noise of a launch
};

/// Matérn 5/2 with a length scale for each group of coordinates. Several launches of one setting are several
/// observations, so that the noise is learnt from how they differ.
class GaussianProcess {
 public:
  struct Parameters {
    Eigen::VectorXd log_lengths;
    double log_noise;  ///< variance of a launch over the variance of the function
  };

  explicit GaussianProcess(const Space& space);

  /// Finds the parameters: the maximum of likelihood and priors. What is found depends on the observations alone.
  void learn(const std::vector<std::size_t>& points, const std::vector<double>& values);
  /// Takes over the observations that beliefs are of, with the parameters as they are.
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

  /// Of each coordinate, one over its squared length.
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
