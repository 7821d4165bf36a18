#include "replay/generate/memory_fit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "replay/generate/mildest_change.hpp"
#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

/// The flags that change `from` into `to`.
std::string flags_of(const StepSettings& from, const StepSettings& to) {
  std::string flags;
  const auto add = [&](const std::string& flag) { flags += (flags.empty() ? "" : " ") + flag; };
  if (to.framework != from.framework) add(fmt::format("--framework {}", to.framework.text()));
  if (to.zero_stage != from.zero_stage) add(fmt::format("--zero {}", to.zero_stage));
  if (to.secondary_partition != from.secondary_partition)
    add(fmt::format("zero_hpz_partition_size {}", to.secondary_partition));
  if (to.sharding.strategy != from.sharding.strategy)
    add(fmt::format("--sharding-strategy {}", name(to.sharding.strategy)));
  if (to.sharding.reshard_after_forward != from.sharding.reshard_after_forward) add("--reshard-after-forward true");
  if (from.sharding.degree && !to.sharding.degree) add("and without --shard-degree");
  if (to.ranks != from.ranks) add(fmt::format("--ranks {}", to.ranks));
  if (to.recompute != from.recompute) add(fmt::format("--recompute {}", name(to.recompute)));
  if (to.micro_batch != from.micro_batch)
    add(fmt::format("--micro-batch {} --grad-accum {}", to.micro_batch, to.micro_steps));
  return flags;
}

std::optional<StepSettings> settings_that_fit(const Model& model, const StepSettings& settings, double device_bytes) {
  return mildest_change(settings, most_ranks_tried, [&](const StepSettings& each) -> std::uint64_t {
    // Micro-steps change what is kept between them, so each micro-batch is checked separately.
    for (auto batch = each.micro_batch; batch > 0; --batch) {
      if (each.micro_batch % batch != 0) continue;
      auto smaller = each;
      smaller.micro_batch = batch;
      smaller.micro_steps *= static_cast<int>(each.micro_batch / batch);
      if (fits(memory_of(model, smaller), device_bytes)) return batch;
    }
    return 0;
  });
}

/// The settings with a framework that shards all states.
StepSettings sharded_by(Framework::Kind kind, const StepSettings& settings) {
  auto sharded = settings;
  sharded.framework = {kind, Framework::usual_version(kind)};
  sharded.overlap.reset();
  sharded.reduce_type.reset();
  sharded.find_unused_parameters = false;
  if (kind == Framework::Kind::deepspeed) {
    sharded.zero_stage = 3;
    sharded.overlap_comm = usual_overlap_comm(3);
  }
  return sharded;
}

}  // namespace

std::optional<std::string> change_that_fits(const Model& model, const StepSettings& settings, double device_bytes) {
  if (const auto changed = settings_that_fit(model, settings, device_bytes)) return flags_of(settings, *changed);
  if (settings.framework.shards_all()) return std::nullopt;
  std::string others;
  for (const auto kind : {Framework::Kind::pytorch_fsdp, Framework::Kind::deepspeed}) {
    const auto changed = settings_that_fit(model, sharded_by(kind, settings), device_bytes);
    if (changed) others += (others.empty() ? "" : ", or with ") + flags_of(settings, *changed);
  }
  return others.empty() ? std::nullopt : std::optional(others);
}

std::optional<std::uint64_t> largest_micro_batch(const std::vector<MemoryPart>& memory, std::uint64_t micro_batch,
                                                 double device_bytes) {
  double growing = 0;
  for (const auto& part : memory) growing += part.grows ? part.bytes : 0;
  if (growing <= 0 || micro_batch == 0) return std::nullopt;
  const double room = device_bytes * usable_share - (total_bytes(memory) - growing);
  constexpr double most = 1e15;
  return static_cast<std::uint64_t>(std::clamp(room * static_cast<double>(micro_batch) / growing, 0.0, most));
}

bool fits(const std::vector<MemoryPart>& memory, double device_bytes) {
  return total_bytes(memory) <= device_bytes * usable_share;
}

std::string describe(const std::vector<MemoryPart>& memory, double device_bytes) {
  auto text =
      fmt::format("{}: {} of the {} that a rank can use\n", fits(memory, device_bytes) ? "fits" : "out of memory",
                  readable_bytes(total_bytes(memory)), readable_bytes(device_bytes * usable_share));
  for (const auto& [what, bytes, grows] : memory) text += fmt::format("  {:>10}  {}\n", readable_bytes(bytes), what);
  text += fmt::format("  {:>10}  left for the context, NCCL and fragmentation ({:.0f} %)\n",
                      readable_bytes(device_bytes * (1 - usable_share)), 100 * (1 - usable_share));
  return text;
}

}  // namespace ringmark::replay
