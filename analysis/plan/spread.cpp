#include "analysis/plan/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/distributions/normal.hpp>

namespace ringmark::analysis {
namespace {

using std::numbers::inv_pi, std::numbers::inv_sqrtpi, std::numbers::sqrt2;

constexpr double normal_density_at_0 = inv_sqrtpi / sqrt2;

double normal_quantile(double probability) { return boost::math::quantile(boost::math::normal(), probability); }
double normal_share_below(double z) { return boost::math::cdf(boost::math::normal(), z); }

/// Cumulants of a logarithm that is `below` * z on one side and `above` * z on the other, z being standard normal.
Cumulants cumulants_of_halves(double below, double above) {
  const double difference = above - below, sum = above + below;
  const double mean = difference * normal_density_at_0;
  return {mean, (below * below + above * above) / 2 - mean * mean,
          mean * ((3 * sum * sum - difference * difference) / 4 + difference * difference * inv_pi)};
}

/// `above` - `below` of a spread with these cumulants: the root of 3 v d - c d^3 = t / density, which the third
/// cumulant is in terms of d.
double asymmetry_of(const Cumulants& cumulants) {
  constexpr double c = 1 - 2.5 * inv_pi;
  if (cumulants.variance <= 0) return 0;
  const double sine = cumulants.third / normal_density_at_0 * std::sqrt(c) / (2 * std::pow(cumulants.variance, 1.5));
  return 2 * std::sqrt(cumulants.variance / c) * std::sin(std::asin(std::clamp(sine, -1.0, 1.0)) / 3);
}

}  // namespace

Cumulants operator+(const Cumulants& a, const Cumulants& b) {
  return {a.mean + b.mean, a.variance + b.variance, a.third + b.third};
}

Spread scatters_of(const Interval& factors) {
  const auto scatter = [](double logarithm) { return std::max(0.0, logarithm) / normal_quantile(0.95); };
  return {0, scatter(-std::log(factors.low)), scatter(std::log(factors.high))};
}

Cumulants cumulants_of(const Interval& factors) {
  const auto [shift, below, above] = scatters_of(factors);
  return cumulants_of_halves(below, above);
}

Spread spread_of(const Cumulants& cumulants) {
  const double d = asymmetry_of(cumulants);
  const double sum = std::sqrt(std::max(0.0, 4 * cumulants.variance - d * d * (1 - 2 * inv_pi)));
  return {cumulants.mean - d * normal_density_at_0, std::max(0.0, sum - d) / 2, std::max(0.0, sum + d) / 2};
}

double Spread::quantile(double probability) const {
  const double z = normal_quantile(probability);
  return std::exp(shift + z * (z < 0 ? below : above));
}

double Spread::probability_below(double factor) const {
  const double away = std::log(factor) - shift, scatter = away < 0 ? below : above;
  if (scatter <= least) return away < -least ? 0 : 1;
  return normal_share_below(away / scatter);
}

double Spread::mean() const {
  const auto half = [](double scatter, double sign) {
    return std::exp(scatter * scatter / 2) * normal_share_below(sign * scatter);
  };
  return std::exp(shift) * (half(below, -1) + half(above, 1));
}

Interval Estimate::range(double share) const {
  if (!spread) return {planned, planned};
  return {planned * spread->quantile((1 - share) / 2), planned * spread->quantile((1 + share) / 2)};
}

double Estimate::not_exceeded(double probability) const {
  return planned * (spread ? spread->quantile(probability) : unbounded);
}

std::optional<double> Estimate::probability_below(double limit) const {
  if (!spread) return std::nullopt;
  return spread->probability_below(limit / planned);
}

}  // namespace ringmark::analysis
