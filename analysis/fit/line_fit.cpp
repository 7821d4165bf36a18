#include "analysis/fit/line_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/distributions/students_t.hpp>

namespace ringmark::analysis {
namespace {

/// Weighted normal equations of y = 1 on x = (steps, bytes) / time.
struct Equations {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;

  double determinant() const { return aa * bb - ab * ab; }
  bool is_singular() const {
    constexpr double rounding = 1e-10;
    return determinant() <= rounding * aa * bb;
  }
};

Equations equations_of(const std::vector<Point>& points, const std::vector<double>& weights) {
  Equations e;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double a = points[i].steps / points[i].time_us, b = points[i].bytes / points[i].time_us;
    e.aa += weights[i] * a * a;
    e.ab += weights[i] * a * b;
    e.bb += weights[i] * b * b;
    e.ay += weights[i] * a;
    e.by += weights[i] * b;
  }
  return e;
}

/// Solves for both parameters. If one would be negative, sets it to zero and fits the other.
void solve(const Equations& e, Line& line) {
  const double only_alpha = e.aa > 0 ? e.ay / e.aa : 0, only_beta = e.bb > 0 ? e.by / e.bb : 0;
  if (e.is_singular()) {
    line.alpha_us = e.bb > 0 ? 0 : only_alpha;
    line.beta_us_per_byte = only_beta;
    return;
  }
  line.alpha_us = (e.ay * e.bb - e.by * e.ab) / e.determinant();
  line.beta_us_per_byte = (e.by * e.aa - e.ay * e.ab) / e.determinant();
  if (line.alpha_us < 0) {
    line.alpha_us = 0;
    line.beta_us_per_byte = only_beta;
  } else if (line.beta_us_per_byte < 0) {
    line.beta_us_per_byte = 0;
    line.alpha_us = only_alpha;
  }
}

}  // namespace

double Line::residual() const { return points == 0 ? 0 : std::sqrt(squares / static_cast<double>(points)); }

Line fit_line(const std::vector<Point>& points) {
  constexpr int rounds = 20;
  constexpr double huber = 2.5, to_deviation = 1.4826;
  std::vector<double> weights(points.size(), 1), residuals(points.size());
  Line line;
  line.points = points.size();
  for (int round = 0; round < rounds; ++round) {
    const auto before = std::pair(line.alpha_us, line.beta_us_per_byte);
    solve(equations_of(points, weights), line);
    constexpr double same = 1e-9;
    const bool is_settled = round > 1 && std::abs(line.alpha_us - before.first) <= same * before.first &&
                            std::abs(line.beta_us_per_byte - before.second) <= same * before.second;
    std::vector<double> sizes;
    for (std::size_t i = 0; i < points.size(); ++i) {
      residuals[i] = 1 - line.predict(points[i]) / points[i].time_us;
      sizes.push_back(std::abs(residuals[i]));
    }
    const double scale = to_deviation * Sorted(std::move(sizes)).median();
    if (scale <= 0 || is_settled) break;
    for (std::size_t i = 0; i < points.size(); ++i) {
      weights[i] = std::min(1.0, huber * scale / std::max(std::abs(residuals[i]), 1e-300));
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) line.squares += weights[i] * residuals[i] * residuals[i];
  if (points.size() < 3) return line;
  const auto all = equations_of(points, std::vector<double>(points.size(), 1));
  if (all.is_singular()) return line;
  double influence = 0, inside = 0;  // of M-estimators: squares of psi, and the mean of its slope
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double bounded = weights[i] * residuals[i];
    influence += bounded * bounded;
    inside += weights[i] < 1 ? 0 : 1 / static_cast<double>(points.size());
  }
  const double freedom = static_cast<double>(points.size()) - 2;
  const boost::math::students_t distribution(freedom);
  const double factor = boost::math::quantile(distribution, 0.975) * std::sqrt(influence / freedom) / inside;
  const double alpha_width = factor * std::sqrt(all.bb / all.determinant());
  const double beta_width = factor * std::sqrt(all.aa / all.determinant());
  line.alpha_ci = {std::max(0.0, line.alpha_us - alpha_width), line.alpha_us + alpha_width};
  line.beta_ci = {std::max(0.0, line.beta_us_per_byte - beta_width), line.beta_us_per_byte + beta_width};
  return line;
}

}  // namespace ringmark::analysis
