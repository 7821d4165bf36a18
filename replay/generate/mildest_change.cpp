#include "replay/generate/mildest_change.hpp"

#include <vector>

namespace ringmark::replay {
namespace {

/// From the mildest on; the first one changes nothing.
std::vector<StepSettings> candidates_of(const StepSettings& settings, int largest_job) {
  const bool has_stages = settings.framework.kind == Framework::Kind::deepspeed;
  const int last_stage = has_stages ? 3 : settings.zero_stage;
  std::vector<StepSettings> candidates;
  auto changed = settings;
  for (; candidates.empty() || changed.ranks <= largest_job; changed.ranks *= 2) {
    for (changed.zero_stage = settings.zero_stage; changed.zero_stage <= last_stage; ++changed.zero_stage) {
      changed.recompute = settings.recompute;
      candidates.push_back(changed);
      if (settings.recompute) continue;
      changed.recompute = true;
      candidates.push_back(changed);
    }
  }
  return candidates;
}

/// The batch of a step stays.
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
