#include "history/questions/normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace ringmark::history {
namespace {

constexpr std::size_t least_launches = 5;

/// A new value lies between the k-th smallest and the k-th largest of n with probability 1 - 2k / (n + 1).
std::size_t range_rank(std::size_t n, double probability) {
  constexpr double rounding = 1e-9;
  return static_cast<std::size_t>((1 - probability) / 2 * static_cast<double>(n + 1) + rounding);
}

/// Normal scatter of the logarithms around their median, by the median of absolute deviations. The median of n values
/// has a variance of about pi / 2n of theirs.
Interval normal_range(const std::vector<double>& values, double probability) {
  constexpr double of_normal = 1.4826, half_pi = 1.5708;
  std::vector<double> logs, deviations;
  for (const double value : values) logs.push_back(std::log(value));
  const double middle = median(logs);
  for (const double each : logs) deviations.push_back(std::abs(each - middle));
  const auto n = static_cast<double>(values.size());
  const double quantile = boost::math::quantile(boost::math::students_t(n - 1), (1 + probability) / 2);
  const double off = quantile * of_normal * median(deviations) * std::sqrt(1 + half_pi / n);
  return {std::exp(middle - off), std::exp(middle + off)};
}

}  // namespace

std::string_view name(Place place) {
  constexpr std::array<std::string_view, 3> names{"below", "within", "above"};
  return names[static_cast<std::size_t>(place)];
}

Place Envelope::judge(double time_us) const {
  if (time_us < range_us.low) return Place::below;
  return time_us > range_us.high ? Place::above : Place::within;
}

std::optional<Envelope> envelope_of(std::span<const Point> points, double probability) {
  if (points.size() < least_launches) return std::nullopt;
  std::vector<double> values;
  values.reserve(points.size());
  for (const auto& point : points) values.push_back(point.value);
  const Sorted sorted(values);
  const std::size_t rank = range_rank(values.size(), probability);
  return Envelope{.median_us = sorted.median(),
                  .median_interval_us = sorted.median_interval(),
                  .range_us = rank > 0 ? Interval{sorted[rank - 1], sorted[sorted.size() - rank]}
                                       : normal_range(values, probability),
                  .probability = probability,
                  .by_ranks = rank > 0,
                  .launches = values.size()};
}

std::optional<Envelope> normal_of(std::span<const Point> points, const ChangeOptions& options, double probability) {
  const auto changes = changes_in(points, options);
  return envelope_of(changes.empty() ? points : points.subspan(changes.back().last), probability);
}

}  // namespace ringmark::history
