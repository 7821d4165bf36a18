// The flags of FSDP and FSDP2, among those that describe a step.
#pragma once

#include <optional>
#include <string>

#include "base/flags/flags.hpp"
#include "replay/generate/step_settings.hpp"

namespace ringmark::replay {

class ShardingFlags {
 public:
  explicit ShardingFlags(Flags& flags) : flags_(flags) {}

  void declare();
  /// Applies the flags to `settings`. Adds a problem for each flag that the framework does not have.
  void settle(StepSettings& settings) const;

 private:
  std::string take_reshard(const std::string& word);

  Flags& flags_;
  std::optional<ShardingStrategy> strategy_;
  std::optional<BackwardPrefetch> backward_prefetch_;
  std::optional<bool> wraps_root_only_;
  std::optional<int> shard_degree_;
  std::optional<ReshardAfterForward> reshard_;
  bool forward_prefetch_ = false, use_orig_params_ = false, no_sync_ = false;
};

}  // namespace ringmark::replay
