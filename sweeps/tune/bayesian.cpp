#include "sweeps/tune/bayesian.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "sweeps/tune/gaussian_process.hpp"

namespace ringmark::sweep {
namespace {

constexpr std::size_t most_candidates = 3000;

class Bayesian final : public Strategy {
 public:
  Bayesian(const Space& space, std::uint64_t seed, int budget)
      : space_(space),
        process_(space),
        works_(space),
        seed_(seed),
        first_(std::clamp<std::size_t>(static_cast<std::size_t>(budget) / 4, 4, 2 * space.groups() + 2)),
        last_(static_cast<std::size_t>(budget) - static_cast<std::size_t>(budget) / 8) {}

  std::optional<std::size_t> propose(const std::vector<Trial>& trials) override {
    if (trials.empty()) return space_.plan().default_point();
    std::mt19937_64 random(seed_ * 1'000'003 + trials.size());
    learn(trials);
    if (trials.size() < first_ || points_.size() < 2) return farthest(trials, random);
    // At the end the few that may be the best are told apart by launching them again.
    return trials.size() >= last_ ? most_promising() : most_improving(trials, random);
  }

  std::optional<std::size_t> best(const std::vector<Trial>& trials) override {
    learn(trials);
    if (points_.empty()) return std::nullopt;
    return lowest([](const Belief& belief) { return belief.mean; }).first;
  }

 private:
  void learn(const std::vector<Trial>& trials) {
    if (trials.size() == known_) return;
    for (; known_ < trials.size(); ++known_) {
      const auto& trial = trials[known_];
      (trial.score ? feasible_ : infeasible_).insert(trial.point);
      tried_.push_back(trial.point);
      worked_.push_back(trial.score ? 1 : 0);
      if (!trial.score) continue;
      points_.push_back(trial.point);
      values_.push_back(std::log(*trial.score));
    }
    const bool refit = known_ < 30 || known_ % 4 == 0;
    if (points_.size() >= 2) process_.fit(points_, values_, refit);
    if (!infeasible_.empty() && tried_.size() >= 2) works_.fit(tried_, worked_, refit);
  }

  /// Of the settings that were launched, the one for which `measure` of the belief is lowest, and that.
  template <class Measure>
  std::pair<std::size_t, double> lowest(Measure measure) const {
    std::pair<std::size_t, double> found{points_.front(), INFINITY};
    for (const auto point : feasible_) {
      const double value = points_.size() < 2 ? 0 : measure(process_.at(point));
      if (value < found.second) found = {point, value};
    }
    return found;
  }

  /// Fills the space: of some random settings the one farthest from all that were launched.
  std::optional<std::size_t> farthest(const std::vector<Trial>& trials, std::mt19937_64& random) const {
    constexpr int drawn = 200;
    std::optional<std::size_t> found;
    double found_distance = 0;
    for (int i = 0; i < drawn; ++i) {
      const auto point = static_cast<std::size_t>(random() % space_.size());
      double nearest = INFINITY;
      for (const auto& trial : trials) nearest = std::min(nearest, space_.squared_distance(point, trial.point));
      if (nearest > found_distance) found = point, found_distance = nearest;
    }
    return found ? found : std::optional(trials.front().point);
  }

  std::vector<std::size_t> candidates(std::mt19937_64& random) const {
    std::vector<std::size_t> points;
    if (space_.size() <= most_candidates) {
      for (std::size_t point = 0; point < space_.size(); ++point) points.push_back(point);
      return points;
    }
    std::set<std::size_t> some(feasible_);
    while (some.size() < most_candidates * 2 / 3) some.insert(static_cast<std::size_t>(random() % space_.size()));
    const auto best = lowest([](const Belief& belief) { return belief.mean; }).first;
    for (const auto near : space_.plan().neighbours(best)) {
      if (some.size() < most_candidates) some.insert(near);
    }
    return {some.begin(), some.end()};
  }

  double chance_to_work(std::size_t point) const {
    return infeasible_.empty() ? 1 : std::clamp(works_.at(point).mean, 0.02, 1.0);
  }

  /// Expected improvement on the incumbent, less for what another launch would tell little about (augmented expected
  /// improvement: Huang, Allen, Notz and Zeng 2006).
  double worth(const Belief& belief, double incumbent) const {
    const double gap = incumbent - belief.mean;
    if (!(belief.deviation > 0)) return std::max(gap, 0.0);
    const double z = gap / belief.deviation;
    const double improvement =
        gap * 0.5 * std::erfc(-z / std::sqrt(2)) + belief.deviation * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI);
    const double noise = process_.noise_variance();
    return improvement * (1 - std::sqrt(noise / (noise + belief.deviation * belief.deviation)));
  }

  std::optional<std::size_t> most_improving(const std::vector<Trial>& trials, std::mt19937_64& random) const {
    const double incumbent = lowest([](const Belief& belief) { return belief.mean; }).second;
    std::size_t found = trials.front().point;
    double most = -1;
    for (const auto point : candidates(random)) {
      if (infeasible_.contains(point)) continue;
      const double here = worth(process_.at(point), incumbent) * chance_to_work(point);
      if (here > most) most = here, found = point;
    }
    return found;
  }

  std::size_t most_promising() const {
    return lowest([](const Belief& belief) { return belief.mean - 1.5 * belief.deviation; }).first;
  }

  const Space& space_;
  GaussianProcess process_;
  GaussianProcess works_;  ///< 1 where a launch worked, 0 where it failed
  std::uint64_t seed_;
  std::size_t first_, last_;  ///< launches that fill the space, and from where on the best are launched again
  std::size_t known_ = 0;
  std::vector<std::size_t> points_;
  std::vector<double> values_;
  std::vector<std::size_t> tried_;
  std::vector<double> worked_;
  std::set<std::size_t> feasible_, infeasible_;
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian(const Space& space, std::uint64_t seed, int budget) {
  return std::make_unique<Bayesian>(space, seed, budget);
}

}  // namespace ringmark::sweep
