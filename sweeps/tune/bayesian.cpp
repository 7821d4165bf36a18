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
      if (!trial.score) continue;
      points_.push_back(trial.point);
      values_.push_back(std::log(*trial.score));
    }
    if (points_.size() >= 2) process_.fit(points_, values_, points_.size() < 30 || points_.size() % 4 == 0);
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

  /// By what was learnt of settings that failed.
  double chance_to_work(std::size_t point) const {
    if (infeasible_.empty()) return 1;
    constexpr double prior = 0.3;
    double working = prior, all = prior;
    for (const auto other : feasible_) working += process_.likeness(point, other);
    all = working;
    for (const auto other : infeasible_) all += process_.likeness(point, other);
    return working / all;
  }

  std::optional<std::size_t> most_improving(const std::vector<Trial>& trials, std::mt19937_64& random) const {
    const double incumbent = lowest([](const Belief& belief) { return belief.mean; }).second;
    std::size_t found = trials.front().point;
    double most = -1;
    for (const auto point : candidates(random)) {
      if (infeasible_.contains(point)) continue;
      const auto belief = process_.at(point);
      const double gap = incumbent - belief.mean;
      const double z = belief.deviation > 0 ? gap / belief.deviation : 0;
      const double improvement = belief.deviation > 0
                                     ? gap * 0.5 * std::erfc(-z / std::sqrt(2)) +
                                           belief.deviation * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI)
                                     : std::max(gap, 0.0);
      const double worth = improvement * chance_to_work(point);
      if (worth > most) most = worth, found = point;
    }
    return found;
  }

  std::size_t most_promising() const {
    return lowest([](const Belief& belief) { return belief.mean - 1.5 * belief.deviation; }).first;
  }

  const Space& space_;
  GaussianProcess process_;
  std::uint64_t seed_;
  std::size_t first_, last_;  ///< launches that fill the space, and from where on the best are launched again
  std::size_t known_ = 0;
  std::vector<std::size_t> points_;
  std::vector<double> values_;
  std::set<std::size_t> feasible_, infeasible_;
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian(const Space& space, std::uint64_t seed, int budget) {
  return std::make_unique<Bayesian>(space, seed, budget);
}

}  // namespace ringmark::sweep
