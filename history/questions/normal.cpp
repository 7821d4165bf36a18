#include "history/questions/normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace ringmark::history {
namespace {

constexpr std::size_t least_launches = 5;
constexpr std::size_t least_after_drift = 10;  ///< since noise may make a drift seem to end too early

/// A new value lies between the k-th smallest and the k-th largest of n with probability 1 - 2k / (n + 1).
std::size_t range_rank(std::size_t n, double probability) {
  constexpr double rounding = 1e-9;
  return static_cast<std::size_t>((1 - probability) / 2 * static_cast<double>(n + 1) + rounding);
}

double median_deviation(std::span<const double> values) {
  constexpr double of_normal = 1.4826;
  const double middle = median({values.begin(), values.end()});
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  return of_normal * median(std::move(deviations));
}

/// The standard deviation of values that scatter normally apart from outliers: the larger of the median absolute
/// deviation and Qn of Rousseeuw and Croux ("Alternatives to the median absolute deviation", 1993), with their factors
/// for few values. Qn scatters less, but is 0 where more than a quarter of the pairs are equal, as times with few
/// digits are.
double spread_of(std::span<const double> values) {
  constexpr double of_normal = 2.2219;
  constexpr std::array few{0.0, 0.0, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) differences.push_back(std::abs(values[i] - values[j]));
  }
  const auto half = values.size() / 2 + 1;
  const auto place = differences.begin() + static_cast<std::ptrdiff_t>(half * (half - 1) / 2 - 1);
  std::nth_element(differences.begin(), place, differences.end());
  const auto n = static_cast<double>(values.size());
  const double factor =
      values.size() < few.size() ? few[values.size()] : n / (n + (values.size() % 2 == 1 ? 1.4 : 3.8));
  return std::max(of_normal * factor * *place, median_deviation(values));
}

/// Normal scatter of the logarithms around their median. The median of n values has a variance of about pi / 2n of
/// theirs.
Interval normal_range(std::span<const Point> points, double probability) {
  constexpr std::size_t enough = 200;  // for the spread, which takes quadratic time
  // Found by simulation: counting this many degrees of freedom per launch allows for the error of the estimated spread.
  constexpr double freedom_of_spread = 0.8, half_pi = 1.5708;
  constexpr double least_spread = 0.001;  // for a link at line rate, which prints the same digits every night
  std::vector<double> logs;
  for (const auto& point : points) logs.push_back(std::log(point.value));
  const double spread = std::max(least_spread, spread_of(std::span(logs).last(std::min(logs.size(), enough))));
  const auto n = static_cast<double>(points.size());
  const double quantile =
      boost::math::quantile(boost::math::students_t(freedom_of_spread * (n - 1)), (1 + probability) / 2);
  const double middle = median(std::move(logs)), off = quantile * spread * std::sqrt(1 + half_pi / n);
  return {std::exp(middle - off), std::exp(middle + off)};
}

/// True if the last change is a drift with too few points after it.
bool is_drifting(std::size_t points, const std::vector<Change>& changes) {
  return !changes.empty() && changes.back().kind == Change::Kind::drift &&
         points - changes.back().last < least_after_drift;
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
  const Sorted sorted(std::move(values));
  const std::size_t rank = range_rank(points.size(), probability);
  return Envelope{.median_us = sorted.median(),
                  .median_interval_us = sorted.median_interval(),
                  .range_us = rank > 0 ? Interval{sorted[rank - 1], sorted[sorted.size() - rank]}
                                       : normal_range(points, probability),
                  .probability = probability,
                  .by_ranks = rank > 0,
                  .launches = points.size()};
}

std::vector<Point> at_present_level(std::span<const Point> points, const std::vector<Change>& changes) {
  if (changes.empty()) return {points.begin(), points.end()};
  const auto& last = changes.back();
  if (!is_drifting(points.size(), changes))
    return {points.begin() + static_cast<std::ptrdiff_t>(last.last), points.end()};
  std::vector<Point> moved(points.begin() + static_cast<std::ptrdiff_t>(last.first), points.end());
  const auto end = points[last.last].time;
  const std::chrono::duration<double> length = end - points[last.first].time;
  for (auto& point : moved) {
    const std::chrono::duration<double> left = std::max(end - point.time, std::chrono::seconds(0));
    point.value *= std::pow(last.ratio, left / length);
  }
  return moved;
}

std::size_t first_at_present_level(std::size_t points, const std::vector<Change>& changes) {
  constexpr std::size_t latest = 10;
  if (changes.empty()) return 0;
  if (!is_drifting(points, changes)) return changes.back().last;
  return std::max(changes.back().first, points - std::min(points, latest));
}

std::optional<Envelope> normal_of(std::span<const Point> points, const ChangeOptions& options, double probability) {
  const auto changes = changes_in(points, options);
  auto envelope = envelope_of(at_present_level(points, changes), probability);
  if (envelope) envelope->is_of_drift = is_drifting(points.size(), changes);
  return envelope;
}

}  // namespace ringmark::history
