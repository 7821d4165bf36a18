#include "history/questions/robust_fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "history/questions/split.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

constexpr double bend = 1.5;  ///< in units of the noise: residuals beyond it count linearly

double weight(double residual) {
  const double size = std::abs(residual);
  return size <= bend ? 1 : bend / size;
}

struct Line {
  double base = 0, change = 0;
  double at(double x) const { return base + change * x; }
};

/// Weighted least squares; a shape that does not vary has no change.
Line weighted_line(std::span<const double> levels, std::span<const double> shape, std::span<const double> weights) {
  double all = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    all += weights[i];
    x += weights[i] * shape[i];
    y += weights[i] * levels[i];
  }
  x /= all;
  y /= all;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    xx += weights[i] * (shape[i] - x) * (shape[i] - x);
    xy += weights[i] * (shape[i] - x) * (levels[i] - y);
  }
  const double change = xx > 0 ? xy / xx : 0;
  return {y - change * x, change};
}

/// Standard error of the change: Huber's, with the autocorrelation of the clipped residuals.
double error_of(std::span<const double> shape, const std::vector<double>& residuals, double noise) {
  double squares = 0, products = 0, inside = 0, x = 0, xx = 0;
  const auto n = static_cast<double>(residuals.size());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double clipped = std::clamp(residuals[i], -bend, bend);
    squares += clipped * clipped;
    inside += std::abs(residuals[i]) <= bend;
    if (i > 0) products += clipped * std::clamp(residuals[i - 1], -bend, bend);
    x += shape[i] / n;
  }
  for (const double each : shape) xx += (each - x) * (each - x);
  if (xx <= 0 || inside == 0) return 0;
  const double phi = squares > 0 ? std::clamp(products / squares + 2 / n, 0.0, 0.6) : 0;
  const double variance = squares / std::max(1.0, n - 2) / std::pow(inside / n, 2);
  return noise * std::sqrt(variance * inflation(phi, residuals.size()) / xx);
}

}  // namespace

double huber_loss(double residual) {
  const double size = std::abs(residual);
  return size <= bend ? size * size : 2 * bend * size - bend * bend;
}

RobustFit fit_shape(std::span<const double> levels, std::span<const double> shape, double noise) {
  constexpr int rounds = 10;
  std::vector<double> weights(levels.size(), 1), residuals(levels.size());
  Line line;
  for (int round = 0; round < rounds; ++round) {
    line = weighted_line(levels, shape, weights);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      residuals[i] = (levels[i] - line.at(shape[i])) / noise;
      weights[i] = weight(residuals[i]);
    }
  }
  double cost = 0;
  for (const double residual : residuals) cost += huber_loss(residual);
  return {line.base, line.change, error_of(shape, residuals, noise), cost};
}

double cost_of_level(std::span<const double> levels, double noise) {
  return fit_shape(levels, std::vector<double>(levels.size()), noise).cost;
}

std::size_t best_place(std::span<const double> levels, std::size_t first, std::size_t margin, double noise) {
  const auto median_of = [](std::span<const double> part) { return median({part.begin(), part.end()}); };
  const double before = median_of(levels.first(first)), after = median_of(levels.subspan(first));
  // The cost of the first `end` nights if they are before the step, minus their cost if they are after it.
  double cost = 0, least = 0;
  std::size_t best = first;
  for (std::size_t end = 1; end + margin <= levels.size(); ++end) {
    cost += huber_loss((levels[end - 1] - before) / noise) - huber_loss((levels[end - 1] - after) / noise);
    if (end == margin || (end > margin && cost < least)) {
      least = cost;
      best = end;
    }
  }
  return best;
}

}  // namespace ringmark::history
