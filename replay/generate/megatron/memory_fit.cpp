#include "replay/generate/megatron/memory_fit.hpp"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>

#include "replay/generate/megatron/memory.hpp"
#include "replay/generate/memory_fit.hpp"

namespace ringmark::replay::megatron {
namespace {

std::vector<Recompute> recomputations_from(const Recompute& recompute) {
  std::vector<Recompute> all{recompute};
  if (recompute != Recompute{Recompute::Kind::full}) all.push_back({Recompute::Kind::full});
  return all;
}

/// The settings with the largest micro-batch that fits and divides the given one; nothing if none fits.
std::optional<Settings> fitting(Settings settings, double device_bytes) {
  const auto largest = settings.micro_batch;
  for (auto batch = largest; batch > 0; --batch) {
    if (largest % batch != 0) continue;
    settings.micro_batch = batch;
    if (problems_of(settings).empty() && fits(memory_of(settings), device_bytes)) return settings;
  }
  return std::nullopt;
}

std::string flags_of(const Settings& from, const Settings& to) {
  std::vector<std::string> flags;
  if (to.sizes.tensor != from.sizes.tensor) flags.push_back(fmt::format("--tp {} --sp", to.sizes.tensor));
  if (to.sizes.pipeline != from.sizes.pipeline) flags.push_back(fmt::format("--pp {}", to.sizes.pipeline));
  if (to.recompute != from.recompute) flags.push_back(fmt::format("--recompute {}", name(to.recompute)));
  if (to.micro_batch != from.micro_batch || to.data_parallel() != from.data_parallel())
    flags.push_back(fmt::format("--micro-batch {} --global-batch {}", to.micro_batch, to.global_batch));
  return fmt::format("{}", fmt::join(flags, " "));
}

}  // namespace

std::optional<std::string> change_that_fits(const Settings& settings, int ranks_per_node, double device_bytes) {
  auto changed = settings;
  auto& sizes = changed.sizes;
  for (; sizes.pipeline <= settings.ranks; sizes.pipeline *= 2) {
    if (sizes.pipeline != settings.sizes.pipeline) split_layers(changed);
    for (sizes.tensor = settings.sizes.tensor; sizes.tensor <= std::max(ranks_per_node, settings.sizes.tensor);
         sizes.tensor *= 2) {
      sizes.shards_sequence = settings.sizes.shards_sequence || sizes.tensor > settings.sizes.tensor;
      for (const auto& recompute : recomputations_from(settings.recompute)) {
        changed.recompute = recompute;
        changed.recomputes_uniformly = recompute.first_layers == 0;
        if (const auto found = fitting(changed, device_bytes)) return flags_of(settings, *found);
      }
    }
  }
  return std::nullopt;
}

}  // namespace ringmark::replay::megatron
