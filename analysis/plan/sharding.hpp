// How the frameworks of a plan shard the states of training, in the scenario's words and as settings of a step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/generate/step_settings.hpp"

namespace ringmark::analysis {

/// The GPUs that share one copy: of the states with FSDP and FSDP2, of a second copy of the weights with DeepSpeed.
struct ShardGroup {
  enum class Kind { all, node, number };

  Kind kind = Kind::all;
  int number = 0;

  bool operator==(const ShardGroup&) const = default;
};

struct StateSharding {
  int stage = 0;  ///< as Scenario::stages has it
  int group = 0;  ///< GPUs that share one copy; 0: all

  bool operator==(const StateSharding&) const = default;
};

/// The stages that a framework has.
std::vector<int> stages_of(replay::Framework::Kind kind);

/// The key that lists groups, named as in the framework; empty for frameworks without groups.
std::string_view shard_group_key(replay::Framework::Kind kind);

/// All GPUs and, where the framework has groups, those of a node.
std::vector<ShardGroup> searched_shard_groups(replay::Framework::Kind kind);

/// The size of a group; 0 if it includes all GPUs or the stage has no groups.
int group_size(const ShardGroup& group, replay::Framework::Kind kind, int stage, double ranks, double gpus_per_node);

void set_sharding(replay::StepSettings& settings, const StateSharding& sharding);
/// Reads what set_sharding() writes.
StateSharding sharding_of(const replay::StepSettings& settings);

/// "ZeRO stage 3", "HYBRID_SHARD of 8".
std::string sharding_words(replay::Framework::Kind kind, const StateSharding& sharding);

}  // namespace ringmark::analysis
