#include "bench/mix/slowdown.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace ringmark::mix {
namespace {

constexpr std::size_t least_rounds = 6;

/// How often a resample contains each round.
using Weights = std::vector<std::size_t>;

/// The times of several rounds, sorted once.
class PooledTimes {
 public:
  void add_round(const std::vector<double>& times_us) {
    for (const double us : times_us) times_.emplace_back(us, sizes_.size());
    sizes_.push_back(times_us.size());
  }
  void sort() { std::sort(times_.begin(), times_.end()); }

  /// Like Sorted::tail(0.99) of the times, each weighted like its round.
  std::optional<double> p99(const Weights& weights) const {
    std::size_t count = 0;
    for (std::size_t round = 0; round < sizes_.size(); ++round) count += weights[round] * sizes_[round];
    std::size_t left = count / 100;  // values above
    if (left == 0) return std::nullopt;
    for (auto time = times_.rbegin(); time != times_.rend(); ++time) {
      if (weights[time->second] > left) return time->first;
      left -= weights[time->second];
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<double, std::size_t>> times_;  ///< with their rounds
  std::vector<std::size_t> sizes_;                     ///< by round
};

}  // namespace

Slowdown slowdown_of(const std::vector<RoundTimes>& rounds) {
  Slowdown slowdown;
  PooledTimes alone, together;
  std::vector<double> ratios;
  for (const auto& round : rounds) {
    if (round.alone_us.empty() || round.together_us.empty()) continue;
    alone.add_round(round.alone_us);
    together.add_round(round.together_us);
    ratios.push_back(median(round.together_us) / median(round.alone_us));
  }
  if (ratios.empty()) return slowdown;
  const Sorted sorted(ratios);
  slowdown.median = Ratio{sorted.median(), sorted.median_interval()};
  alone.sort();
  together.sort();
  const auto p99_ratio = [&](const Weights& weights) -> std::optional<double> {
    const auto a = alone.p99(weights), t = together.p99(weights);
    if (!a || !t || *a <= 0) return std::nullopt;
    return *t / *a;
  };
  const auto p99 = p99_ratio(Weights(ratios.size(), 1));
  if (!p99) return slowdown;
  slowdown.p99 = Ratio{*p99, std::nullopt};
  if (ratios.size() < least_rounds) return slowdown;
  constexpr int resamples = 400;
  std::mt19937_64 random(1);
  std::vector<double> values;
  for (int i = 0; i < resamples; ++i) {
    Weights drawn(ratios.size());
    for (std::size_t k = 0; k < drawn.size(); ++k) ++drawn[random() % drawn.size()];
    if (const auto value = p99_ratio(drawn)) values.push_back(*value);
  }
  if (values.size() < resamples / 2) return slowdown;
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  slowdown.p99->interval = Interval{at(0.025), at(0.975)};
  return slowdown;
}

}  // namespace ringmark::mix
