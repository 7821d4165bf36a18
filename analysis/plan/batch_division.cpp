#include "analysis/plan/batch_division.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "analysis/plan/searched.hpp"

namespace ringmark::analysis {
namespace {

/// The multiple of a unit that is nearest to a batch.
std::int64_t nearest_multiple(std::int64_t unit, std::int64_t batch) {
  return std::max(unit, (batch + unit / 2) / unit * unit);
}

class NearestBatch {
 public:
  explicit NearestBatch(std::int64_t batch) : batch_(batch) {}
  void try_unit(std::int64_t unit) {
    const auto found = nearest_multiple(unit, batch_);
    if (nearest_ == 0 || std::abs(found - batch_) < std::abs(nearest_ - batch_)) nearest_ = found;
  }
  std::int64_t nearest() const { return nearest_; }

 private:
  std::int64_t batch_, nearest_ = 0;
};

}  // namespace

bool divides_batch(const Scenario& scenario, int nodes) {
  if (scenario.has_roles()) return true;
  return std::any_of(scenario.clusters.begin(), scenario.clusters.end(), [&](const Cluster& cluster) {
    const double ranks = nodes * cluster.gpus_per_node;
    return std::any_of(scenario.micro_batches.begin(), scenario.micro_batches.end(), [&](int micro_batch) {
      return accumulation_of(*scenario.global_batch, ranks, micro_batch) > 0;
    });
  });
}

bool has_batch_without_division(const Scenario& scenario) {
  return scenario.global_batch && std::none_of(scenario.nodes.begin(), scenario.nodes.end(),
                                               [&](int nodes) { return divides_batch(scenario, nodes); });
}

std::optional<int> nearest_dividing_batch(const Scenario& scenario) {
  if (!has_batch_without_division(scenario)) return std::nullopt;
  const std::int64_t batch = *scenario.global_batch;
  const std::int64_t micro_batch = *std::min_element(scenario.micro_batches.begin(), scenario.micro_batches.end());
  NearestBatch on_all(batch), on_one(batch);
  for (const auto& cluster : scenario.clusters) {
    std::int64_t unit = 1;
    for (const int nodes : scenario.nodes) {
      const auto sequences = nodes * std::llround(cluster.gpus_per_node) * micro_batch;
      on_one.try_unit(sequences);
      if (unit <= 2 * batch) unit = std::lcm(unit, sequences);
    }
    if (unit <= 2 * batch) on_all.try_unit(unit);
  }
  const auto nearest = on_all.nearest() > 0 ? on_all.nearest() : on_one.nearest();
  constexpr std::int64_t most_times = 8;
  if (nearest > std::min<std::int64_t>(most_times * batch, most_global_batch)) return std::nullopt;
  return static_cast<int>(nearest);
}

}  // namespace ringmark::analysis
