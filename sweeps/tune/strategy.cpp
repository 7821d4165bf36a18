#include "sweeps/tune/strategy.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "sweeps/tune/bayesian.hpp"

namespace ringmark::sweep {
namespace {

/// Every setting once, in a fixed order.
class InOrder final : public Strategy {
 public:
  explicit InOrder(std::vector<std::size_t> order) : order_(std::move(order)) {}

  std::optional<std::size_t> propose(const std::vector<Trial>& trials) override {
    return trials.size() < order_.size() ? std::optional(order_[trials.size()]) : std::nullopt;
  }

  std::optional<std::size_t> best(const std::vector<Trial>& trials) override {
    std::optional<Trial> lowest;
    for (const auto& trial : trials) {
      if (trial.score && (!lowest || *trial.score < *lowest->score)) lowest = trial;
    }
    return lowest ? std::optional(lowest->point) : std::nullopt;
  }

 private:
  std::vector<std::size_t> order_;
};

/// Every setting once in the listed order, then the better half of them again, then the better half of those, down to
/// two (successive halving: Jamieson and Talwalkar, "Non-stochastic best arm identification", 2016).
class Halving final : public Strategy {
 public:
  explicit Halving(std::vector<std::size_t> order) : order_(std::move(order)) {}

  std::optional<std::size_t> propose(const std::vector<Trial>& trials) override {
    const auto race = race_of(trials);
    const auto next = std::min_element(race.begin(), race.end(),
                                       [](const auto& a, const auto& b) { return a.launches < b.launches; });
    return next == race.end() ? std::nullopt : std::optional(next->point);
  }

  std::optional<std::size_t> best(const std::vector<Trial>& trials) override {
    auto race = race_of(trials);
    std::erase_if(race, [](const Runner& each) { return each.launches == 0 || each.has_failed; });
    const auto best = std::min_element(race.begin(), race.end(), is_better);
    return best == race.end() ? std::nullopt : std::optional(best->point);
  }

 private:
  struct Runner {
    std::size_t point;
    int launches = 0;
    double sum = 0;
    bool has_failed = false;
  };

  static bool is_better(const Runner& a, const Runner& b) { return a.sum / a.launches < b.sum / b.launches; }

  /// The settings that are still in the race after all trials.
  std::vector<Runner> race_of(const std::vector<Trial>& trials) const {
    std::vector<Runner> race;
    for (const auto point : order_) race.push_back({point});
    std::size_t in_round = 0;
    for (const auto& trial : trials) {
      const auto runner =
          std::find_if(race.begin(), race.end(), [&](const Runner& each) { return each.point == trial.point; });
      if (runner == race.end()) continue;
      ++runner->launches;
      runner->sum += trial.score.value_or(0);
      runner->has_failed |= !trial.score;
      if (++in_round < race.size()) continue;
      std::erase_if(race, [](const Runner& each) { return each.has_failed; });
      std::stable_sort(race.begin(), race.end(), is_better);
      race.resize(std::min(race.size(), std::max<std::size_t>(2, (race.size() + 1) / 2)), Runner{0});
      in_round = 0;
    }
    return race;
  }

  std::vector<std::size_t> order_;
};

/// The default comes first, since all settings are compared with it.
std::vector<std::size_t> order_of(const Space& space, bool random_order, std::uint64_t seed) {
  std::vector<std::size_t> order(space.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[0], order[space.plan().default_point()]);
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size() - 1; random_order && i > 1; --i) std::swap(order[i], order[1 + random() % i]);
  return order;
}

}  // namespace

std::unique_ptr<Strategy> make_strategy(Search search, const Space& space, std::uint64_t seed, int budget) {
  if (search == Search::bayesian) return make_bayesian(space, seed, budget);
  if (search == Search::halving) return std::make_unique<Halving>(order_of(space, false, seed));
  return std::make_unique<InOrder>(order_of(space, search == Search::random, seed));
}

}  // namespace ringmark::sweep
