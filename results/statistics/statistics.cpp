#include "results/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringmark {
namespace {

/// The largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the k-th smallest and k-th largest values bound the median.
std::size_t interval_rank(std::size_t n) {
  constexpr double one_side = 0.025;
  constexpr std::size_t largest_exact = 500;
  if (n > largest_exact) {
    constexpr double normal_quantile = 1.96;
    const auto count = static_cast<double>(n);
    return static_cast<std::size_t>(std::floor((count - normal_quantile * std::sqrt(count)) / 2));
  }
  double below = 0;
  double term = std::pow(0.5, static_cast<double>(n));
  for (std::size_t k = 0;; ++k) {
    below += term;
    if (below > one_side) return k;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
}

}  // namespace

Sorted::Sorted(std::vector<double> values) : values_(std::move(values)) { std::sort(values_.begin(), values_.end()); }

double Sorted::mean() const {
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
}

double Sorted::median() const {
  const std::size_t n = values_.size();
  return (values_[(n - 1) / 2] + values_[n / 2]) / 2;
}

std::optional<double> Sorted::tail(double fraction) const {
  const auto n = static_cast<double>(values_.size());
  constexpr double rounding = 1e-9;
  if (n * (1 - fraction) < 1 - rounding) return std::nullopt;
  return values_[static_cast<std::size_t>(std::ceil(n * fraction - rounding)) - 1];
}

std::optional<Interval> Sorted::median_interval() const {
  const std::size_t rank = values_.empty() ? 0 : interval_rank(values_.size());
  if (rank == 0) return std::nullopt;
  return Interval{values_[rank - 1], values_[values_.size() - rank]};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}

std::optional<double> median_precision_percent(const Sorted& values) {
  const auto interval = values.median_interval();
  if (!interval) return std::nullopt;
  const double median = values.median();
  return median > 0 ? 50 * (interval->high - interval->low) / median : 0;
}

}  // namespace ringmark
