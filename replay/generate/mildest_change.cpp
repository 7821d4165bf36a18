#include "replay/generate/mildest_change.hpp"

#include <utility>
#include <vector>

namespace ringmark::replay {
namespace {

/// The settings, then those that shard more: first further states, then over all ranks.
std::vector<StepSettings> shardings_from(StepSettings settings) {
  using Kind = Framework::Kind;
  using enum ShardingStrategy;
  std::vector<StepSettings> all{settings};
  auto& sharding = settings.sharding;
  const auto change = [&](auto& what, const auto& to) {
    if (what == to) return;
    what = to;
    all.push_back(settings);
  };
  if (settings.framework.kind == Kind::deepspeed) {
    while (settings.zero_stage < 3) change(settings.zero_stage, settings.zero_stage + 1);
    change(settings.secondary_partition, 1);
  } else if (settings.framework.kind == Kind::pytorch_fsdp) {
    if (sharding.is_hybrid()) change(sharding.strategy, hybrid_shard);
    sharding.degree.reset();
    change(sharding.strategy, full_shard);
  } else if (settings.framework.kind == Kind::pytorch_fsdp2) {
    if (std::exchange(sharding.reshard_after_forward, std::nullopt)) all.push_back(settings);
    if (std::exchange(sharding.degree, std::nullopt)) all.push_back(settings);
  }
  return all;
}

/// The recomputation, and those that recompute more.
std::vector<Recompute> recomputations_from(const Recompute& recompute) {
  using enum Recompute::Kind;
  std::vector<Recompute> all{recompute};
  if (recompute.kind == none) all.push_back({selective});
  if (recompute != Recompute{full}) all.push_back({full});
  return all;
}

/// In order, the mildest change first; the first candidate changes nothing.
std::vector<StepSettings> candidates_of(const StepSettings& settings, int largest_job) {
  std::vector<StepSettings> candidates;
  auto changed = settings;
  for (; candidates.empty() || changed.ranks <= largest_job; changed.ranks *= 2) {
    for (auto& each : shardings_from(changed)) {
      for (const auto& recompute : recomputations_from(settings.recompute)) {
        each.recompute = recompute;
        candidates.push_back(each);
      }
    }
  }
  return candidates;
}

/// The settings with another micro-batch; the batch of a step stays the same.
StepSettings with_micro_batch(StepSettings settings, std::uint64_t micro_batch) {
  settings.micro_steps *= static_cast<int>(settings.micro_batch / micro_batch);
  settings.micro_batch = micro_batch;
  return settings;
}

}  // namespace

std::optional<StepSettings> mildest_change(const StepSettings& settings, int largest_job,
                                           const FittingMicroBatch& fitting_micro_batch) {
  if (const auto batch = fitting_micro_batch(settings); batch > 0) return with_micro_batch(settings, batch);
  std::optional<StepSettings> smaller;
  for (const auto& changed : candidates_of(settings, largest_job)) {
    const auto batch = fitting_micro_batch(changed);
    if (batch == changed.micro_batch) return changed;
    if (batch > 0 && !smaller) smaller = with_micro_batch(changed, batch);
  }
  return smaller;
}

}  // namespace ringmark::replay
