#include "sweeps/tune/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace ringmark::sweep {
namespace {

// Priors, in logarithms: coordinates run from 0 to 1, and launches differ less than settings.
constexpr double length_mean = -0.2, length_deviation = 1;
constexpr double noise_mean = -4, noise_deviation = 2;

/// Matérn 5/2.
double correlation(const Space& space, std::size_t a, std::size_t b, const Eigen::ArrayXd& precisions) {
  const double square = ((space.coordinates(a) - space.coordinates(b)).array().square() * precisions).sum();
  const double distance = std::sqrt(5 * square);
  return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

double log_normal(double value, double mean, double deviation) {
  return -0.5 * std::pow((value - mean) / deviation, 2);
}

}  // namespace

GaussianProcess::GaussianProcess(const Space& space)
    : space_(space),
      parameters_{Eigen::VectorXd::Constant(static_cast<Eigen::Index>(space.groups()), length_mean), noise_mean},
      precisions_(precisions(parameters_)) {}

Eigen::ArrayXd GaussianProcess::precisions(const Parameters& parameters) const {
  const auto& groups = space_.group_of();
  Eigen::ArrayXd precisions(static_cast<Eigen::Index>(groups.size()));
  for (std::size_t c = 0; c < groups.size(); ++c)
    precisions[static_cast<Eigen::Index>(c)] =
        std::exp(-2 * parameters.log_lengths[static_cast<Eigen::Index>(groups[c])]);
  return precisions;
}

GaussianProcess::Solution GaussianProcess::solve(const Parameters& parameters) const {
  const auto count = values_.size();
  const auto lengths = precisions(parameters);
  Eigen::MatrixXd covariance(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      covariance(i, j) = covariance(j, i) =
          correlation(space_, points_[static_cast<std::size_t>(i)], points_[static_cast<std::size_t>(j)], lengths);
    }
    covariance(i, i) = 1 + std::exp(parameters.log_noise) + 1e-9;
  }
  Solution solution{Eigen::LLT<Eigen::MatrixXd>(covariance), {}, 0, 0, 0};
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(count);
  const Eigen::VectorXd solved_ones = solution.factor.solve(ones);
  solution.mean = solved_ones.dot(values_) / solved_ones.dot(ones);
  const Eigen::VectorXd residuals = values_ - solution.mean * ones;
  solution.weights = solution.factor.solve(residuals);
  // The best-fitting scale of the function, given the other parameters.
  solution.variance = std::max(residuals.dot(solution.weights) / static_cast<double>(count), 1e-12);
  const double log_determinant = 2 * Eigen::MatrixXd(solution.factor.matrixL()).diagonal().array().log().sum();
  solution.log_posterior = -0.5 * (static_cast<double>(count) * std::log(solution.variance) + log_determinant) +
                           log_normal(parameters.log_noise, noise_mean, noise_deviation);
  for (const double length : parameters.log_lengths)
    solution.log_posterior += log_normal(length, length_mean, length_deviation);
  return solution;
}

void GaussianProcess::search_parameters() {
  // Steps in random directions, growing while they help; the posterior is smooth with at most a handful of minima.
  std::mt19937_64 random(points_.size());
  std::normal_distribution<double> normal;
  const auto climb = [&](Parameters at, int steps) {
    auto best = solve(at).log_posterior;
    double width = 0.6;
    for (int step = 0; step < steps; ++step) {
      auto next = at;
      for (double& length : next.log_lengths) length = std::clamp(length + width * normal(random), -4.0, 4.0);
      next.log_noise = std::clamp(next.log_noise + 2 * width * normal(random), -14.0, 4.0);
      const double there = solve(next).log_posterior;
      width = std::clamp(there > best ? width * 1.6 : width * 0.87, 0.02, 1.5);
      if (there > best) best = there, at = next;
    }
    return std::pair(best, at);
  };
  constexpr int steps = 70;
  const auto groups = static_cast<Eigen::Index>(space_.groups());
  const auto usual = climb({Eigen::VectorXd::Constant(groups, length_mean), noise_mean}, steps);
  const auto noisy = climb({Eigen::VectorXd::Constant(groups, length_mean + 1), noise_mean + 3}, steps);
  parameters_ = (noisy.first > usual.first ? noisy : usual).second;
}

void GaussianProcess::learn(const std::vector<std::size_t>& points, const std::vector<double>& values) {
  points_ = points;
  values_ = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  search_parameters();
  precisions_ = precisions(parameters_);
}

void GaussianProcess::observe(const std::vector<std::size_t>& points, const std::vector<double>& values) {
  points_ = points;
  values_ = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  solution_ = solve(parameters_);
}

Belief GaussianProcess::at(std::size_t point) const {
  Eigen::VectorXd near(values_.size());
  for (std::size_t i = 0; i < points_.size(); ++i)
    near[static_cast<Eigen::Index>(i)] = correlation(space_, point, points_[i], precisions_);
  const double left = 1 - near.dot(solution_.factor.solve(near));
  return {solution_.mean + near.dot(solution_.weights), std::sqrt(std::max(left, 0.0) * solution_.variance)};
}

}  // namespace ringmark::sweep
