#include "analysis/plan/searched.hpp"

#include <algorithm>
#include <cmath>

namespace ringmark::analysis {
namespace {

std::vector<int> powers_of_two(double most) {
  std::vector<int> powers{1};
  while (2.0 * powers.back() <= most) powers.push_back(2 * powers.back());
  return powers;
}

/// Fused attention keeps no scores, so recomputing it would free next to nothing.
std::vector<replay::Recompute> searched_recomputations(const Scenario& scenario) {
  using enum replay::Recompute::Kind;
  constexpr replay::Recompute core{selective};
  const bool is_known = std::all_of(scenario.models.begin(), scenario.models.end(), [&](const ModelShape& each) {
    return each.model && !replay::problem_of_recompute(*each.model, core, "recompute");
  });
  const bool frees = !replay::software_of(scenario.software_kind()).fuses_attention;
  if (is_known && frees) return {{none}, core, {full}};
  return {{none}, {full}};
}

}  // namespace

void fill_in_searched(Scenario& scenario) {
  if (scenario.stages.empty()) scenario.stages = stages_of(scenario.framework.kind);
  if (scenario.shard_groups.empty()) scenario.shard_groups = searched_shard_groups(scenario.framework.kind);
  if (scenario.recompute.empty()) scenario.recompute = searched_recomputations(scenario);
  double gpus = 1e9;  // of the smallest node
  for (const auto& cluster : scenario.clusters) gpus = std::min(gpus, cluster.gpus_per_node);
  const double batch = scenario.global_batch.value_or(1);
  if (scenario.has_roles()) {
    // GPUs that share a copy of the model share its sequences.
    if (scenario.nodes.empty()) scenario.nodes = powers_of_two(most_searched_nodes);
    if (scenario.micro_batches.empty())
      scenario.micro_batches = powers_of_two(std::min<double>(most_searched_micro_batch_of_copy, batch));
  }
  if (scenario.nodes.empty()) scenario.nodes = powers_of_two(std::min<double>(most_searched_nodes, batch / gpus));
  const int fewest = *std::min_element(scenario.nodes.begin(), scenario.nodes.end());
  if (scenario.micro_batches.empty())
    scenario.micro_batches = powers_of_two(std::min<double>(most_searched_micro_batch, batch / (gpus * fewest)));
  if (scenario.accumulations.empty()) scenario.accumulations = {1};
}

int accumulation_of(int global_batch, double ranks, int micro_batch) {
  const double rounds = global_batch / (ranks * micro_batch);
  return rounds >= 1 && rounds == std::floor(rounds) ? static_cast<int>(rounds) : 0;
}

}  // namespace ringmark::analysis
