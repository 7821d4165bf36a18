#include "accept/judge/losses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

double quantile(std::vector<double> values, double at) {
  const auto nth = values.begin() + std::lround(at * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace

double spread(std::vector<double> values, double centre) {
  constexpr double normal = 1.4826;
  for (auto& value : values) value = std::abs(value - centre);
  return normal * median(std::move(values));
}

std::size_t count_above(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [limit](double value) { return value > limit; }));
}

Losses::Losses(const std::vector<Round>& rounds, double loss, std::optional<double> expected_GBps)
    : by_pair_(rounds.front().size(), std::vector<double>(rounds.size())) {
  std::vector<std::size_t> good(by_pair_.size());
  std::iota(good.begin(), good.end(), std::size_t{0});
  // The best tenth consists of good pairs even where faults slow most of them. The median of all good pairs, which then
  // replaces it, is unbiased.
  constexpr double best = 0.9, least_share = 1e-3;
  constexpr int passes = 3;
  for (int pass = 0; pass < passes; ++pass) {
    expected_GBps_ = 0;
    for (std::size_t k = 0; k < rounds.size(); ++k) {
      std::vector<double> rates;
      for (const auto pair : good) {
        if (rounds[k][pair].GBps > 0) rates.push_back(rounds[k][pair].GBps);
      }
      if (rates.empty() && !expected_GBps) {
        expected_GBps_ = 0;
        return;
      }
      const double typical = expected_GBps ? *expected_GBps : pass == 0 ? quantile(rates, best) : median(rates);
      expected_GBps_ += typical / static_cast<double>(rounds.size());
      for (std::size_t pair = 0; pair < by_pair_.size(); ++pair)
        by_pair_[pair][k] = std::log(typical / std::max(rounds[k][pair].GBps, least_share * typical));
    }
    good.clear();
    for (std::size_t pair = 0; pair < by_pair_.size(); ++pair) {
      if (of_pair(pair) < loss / 2) good.push_back(pair);
    }
    if (good.empty()) return;
  }
}

double Losses::of_pair(std::size_t pair) const { return median(by_pair_[pair]); }

std::vector<double> Losses::of_pairs(const std::vector<std::size_t>& pairs) const {
  std::vector<double> series;
  for (std::size_t k = 0; k < by_pair_.front().size(); ++k) {
    std::vector<double> values;
    for (const auto pair : pairs) values.push_back(by_pair_[pair][k]);
    series.push_back(median(std::move(values)));
  }
  return series;
}

double Losses::scatter() const {
  std::vector<double> distances;
  for (const auto& series : by_pair_) distances.push_back(spread(series, median(series)));
  return median(std::move(distances));
}

}  // namespace ringmark::accept
