#include "sweeps/tune/strategy.hpp"

#include <map>
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
  return std::make_unique<InOrder>(order_of(space, search == Search::random, seed));
}

}  // namespace ringmark::sweep
