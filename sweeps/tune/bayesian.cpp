#include "sweeps/tune/bayesian.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <span>

#include "sweeps/tune/gaussian_process.hpp"

namespace ringmark::sweep {
namespace {

constexpr std::size_t most_candidates = 3000;
/// How strongly differences far from the best are compressed.
constexpr double compression = 8;
/// One in this many launches fills the space, whatever the model predicts.
constexpr std::size_t exploring = 8;
/// At first the model's parameters are learnt again after each launch, later only after `learning` of them.
constexpr std::size_t learning = 4, learning_often = 30;

/// Launches as the models' observations. A time is represented by its logarithm relative to the best one, compressed
/// far from the best, where details do not matter and noise is larger.
struct Observations {
  std::vector<std::size_t> points, worked_points;
  std::vector<double> works, times;

  explicit Observations(std::span<const Trial> trials) {
    double best = INFINITY;
    for (const auto& trial : trials) {
      points.push_back(trial.point);
      works.push_back(trial.score ? 1 : 0);
      if (!trial.score) continue;
      worked_points.push_back(trial.point);
      times.push_back(std::log(*trial.score));
      best = std::min(best, times.back());
    }
    for (double& time : times) time = std::log1p(compression * (time - best)) / compression;
  }
};

class Bayesian final : public Strategy {
 public:
  Bayesian(const Space& space, std::uint64_t seed, int budget)
      : space_(space),
        time_(space),
        works_(space),
        seed_(seed),
        first_(std::clamp<std::size_t>(static_cast<std::size_t>(budget) / 4, 4, 3 * space.groups() + 2)),
        last_(static_cast<std::size_t>(budget) - static_cast<std::size_t>(budget) / 3) {}

  std::optional<std::size_t> propose(const std::vector<Trial>& trials) override {
    if (trials.empty()) return space_.plan().default_point();
    given_up_.clear();
    for (const auto& trial : trials) {
      if (trial.is_given_up) given_up_.insert(trial.point);
    }
    std::mt19937_64 random(seed_ * 1'000'003 + trials.size());
    const bool explores = trials.size() < last_ && trials.size() % exploring == 0;
    if (trials.size() < first_ || explores || !model(trials)) return farthest(trials, random);
    // At the end, the few settings that may be the best are launched again to tell them apart.
    const auto found = trials.size() >= last_ ? most_promising() : most_improving(random);
    return given_up_.contains(found) ? farthest(trials, random) : found;
  }

  std::optional<std::size_t> best(const std::vector<Trial>& trials) override {
    if (model(trials)) return lowest([](const Belief& belief) { return belief.mean; }).first;
    for (const auto& trial : trials) {
      if (trial.score) return trial.point;
    }
    return std::nullopt;
  }

 private:
  /// False if too few launches worked.
  bool model(std::span<const Trial> trials) {
    const Observations all(trials);
    feasible_ = {all.worked_points.begin(), all.worked_points.end()};
    infeasible_.clear();
    for (std::size_t i = 0; i < all.points.size(); ++i) {
      if (all.works[i] == 0) infeasible_.insert(all.points[i]);
    }
    // Parameters depend only on fixed prefixes of the trials, so that a search can be resumed after any trial.
    const auto learnt = trials.size() < learning_often ? trials.size() : trials.size() / learning * learning;
    const Observations beginning(trials.first(learnt));
    const bool is_enough = beginning.times.size() >= 2;
    if (is_enough && learnt != learnt_) {
      time_.learn(beginning.worked_points, beginning.times);
      if (beginning.times.size() < beginning.points.size()) works_.learn(beginning.points, beginning.works);
      learnt_ = learnt;
    }
    if (!is_enough) return false;
    time_.observe(all.worked_points, all.times);
    if (!infeasible_.empty()) works_.observe(all.points, all.works);
    return true;
  }

  /// The launched setting with the lowest `measure` of its belief, and that value.
  template <class Measure>
  std::pair<std::size_t, double> lowest(Measure measure) const {
    std::pair<std::size_t, double> found{*feasible_.begin(), INFINITY};
    for (const auto point : feasible_) {
      const double value = measure(time_.at(point));
      if (value < found.second) found = {point, value};
    }
    return found;
  }

  /// Fills the space: the random candidate farthest from all launched settings; the first if all were launched.
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
    for (auto trial = trials.begin(); !found && trial != trials.end(); ++trial) {
      if (!given_up_.contains(trial->point)) found = trial->point;
    }
    return found;
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

  /// Expected improvement over the incumbent, reduced for settings about which another launch would reveal little
  /// (augmented expected improvement: Huang, Allen, Notz and Zeng 2006).
  double worth(const Belief& belief, double incumbent) const {
    const double gap = incumbent - belief.mean;
    if (!(belief.deviation > 0)) return std::max(gap, 0.0);
    const double z = gap / belief.deviation;
    const double improvement =
        gap * 0.5 * std::erfc(-z / std::sqrt(2)) + belief.deviation * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI);
    const double noise = time_.noise_variance();
    return improvement * (1 - std::sqrt(noise / (noise + belief.deviation * belief.deviation)));
  }

  std::size_t most_improving(std::mt19937_64& random) const {
    const double incumbent = lowest([](const Belief& belief) { return belief.mean; }).second;
    std::size_t found = *feasible_.begin();
    double most = -1;
    for (const auto point : candidates(random)) {
      if (infeasible_.contains(point)) continue;
      const double here = worth(time_.at(point), incumbent) * chance_to_work(point);
      if (here > most) most = here, found = point;
    }
    return found;
  }

  std::size_t most_promising() const {
    return lowest([](const Belief& belief) { return belief.mean - 1.5 * belief.deviation; }).first;
  }

  const Space& space_;
  GaussianProcess time_;   ///< models the time of settings that work
  GaussianProcess works_;  ///< models success: 1 for a launch that worked, 0 for one that failed
  std::uint64_t seed_;
  std::size_t first_, last_;  ///< end of the launches that fill the space; start of those that repeat the best
  std::size_t learnt_ = 0;    ///< number of trials from which the parameters were learnt
  std::set<std::size_t> feasible_, infeasible_, given_up_;
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian(const Space& space, std::uint64_t seed, int budget) {
  return std::make_unique<Bayesian>(space, seed, budget);
}

}  // namespace ringmark::sweep
