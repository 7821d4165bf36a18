#include "analysis/plan/sharding.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

using FrameworkKind = replay::Framework::Kind;
using Strategy = replay::ShardingStrategy;

Strategy strategy_of(const StateSharding& sharding) {
  if (sharding.stage == 2) return sharding.group > 0 ? Strategy::hybrid_shard_zero2 : Strategy::shard_grad_op;
  return sharding.group > 0 ? Strategy::hybrid_shard : Strategy::full_shard;
}

}  // namespace

std::vector<int> stages_of(FrameworkKind kind) {
  switch (kind) {
    case FrameworkKind::pytorch_ddp:
      return {0};
    case FrameworkKind::megatron:
      return {1};
    case FrameworkKind::pytorch_fsdp:
    case FrameworkKind::pytorch_fsdp2:
      return {2, 3};
    case FrameworkKind::deepspeed:
      break;
  }
  return {0, 1, 2, 3};
}

std::string_view shard_group_key(FrameworkKind kind) {
  if (kind == FrameworkKind::pytorch_fsdp || kind == FrameworkKind::pytorch_fsdp2) return "shard_degree";
  return kind == FrameworkKind::deepspeed ? "zero_hpz_partition_size" : "";
}

std::vector<ShardGroup> searched_shard_groups(FrameworkKind kind) {
  if (shard_group_key(kind).empty()) return {ShardGroup{}};
  return {ShardGroup{}, ShardGroup{ShardGroup::Kind::node}};
}

int group_size(const ShardGroup& group, FrameworkKind kind, int stage, double ranks, double gpus_per_node) {
  const bool has_groups = !shard_group_key(kind).empty() && (kind != FrameworkKind::deepspeed || stage == 3);
  if (!has_groups || group.kind == ShardGroup::Kind::all) return 0;
  const double size = group.kind == ShardGroup::Kind::node ? gpus_per_node : group.number;
  return size > 1 && size < ranks ? static_cast<int>(size) : 0;
}

void set_sharding(replay::StepSettings& settings, const StateSharding& sharding) {
  switch (settings.framework.kind) {
    case FrameworkKind::deepspeed:
      settings.zero_stage = sharding.stage;
      settings.secondary_partition = std::max(1, sharding.group);
      break;
    case FrameworkKind::pytorch_fsdp:
      settings.sharding.strategy = strategy_of(sharding);
      if (sharding.group > 0) settings.sharding.degree = sharding.group;
      break;
    case FrameworkKind::pytorch_fsdp2:
      if (sharding.stage == 2) settings.sharding.reshard_after_forward = false;
      if (sharding.group > 0) settings.sharding.degree = sharding.group;
      break;
    case FrameworkKind::pytorch_ddp:
    case FrameworkKind::megatron:
      break;
  }
}

StateSharding sharding_of(const replay::StepSettings& settings) {
  const int group = settings.sharding.degree.value_or(0);
  const bool reshards = settings.sharding.reshard_after_forward != replay::ReshardAfterForward(false);
  switch (settings.framework.kind) {
    case FrameworkKind::deepspeed:
      return {settings.zero_stage, settings.secondary_partition > 1 ? settings.secondary_partition : 0};
    case FrameworkKind::pytorch_fsdp:
      return {settings.sharding.strategy_reshards() ? 3 : 2, group};
    case FrameworkKind::pytorch_fsdp2:
      return {reshards ? 3 : 2, group};
    case FrameworkKind::pytorch_ddp:
    case FrameworkKind::megatron:
      break;
  }
  return {stages_of(settings.framework.kind).front(), 0};
}

std::string sharding_words(FrameworkKind kind, const StateSharding& sharding) {
  const auto of_group = sharding.group > 0 ? fmt::format(" of {}", sharding.group) : "";
  switch (kind) {
    case FrameworkKind::pytorch_ddp:
      return "DDP";
    case FrameworkKind::megatron:
      return "distributed optimizer";
    case FrameworkKind::pytorch_fsdp:
      return std::string(name(strategy_of(sharding))) + of_group;
    case FrameworkKind::pytorch_fsdp2:
      return fmt::format("fully_shard{}{}", of_group, sharding.stage == 2 ? ", no reshard" : "");
    case FrameworkKind::deepspeed:
      break;
  }
  return fmt::format("ZeRO stage {}{}", sharding.stage, sharding.group > 0 ? ", hpZ" + of_group : "");
}

}  // namespace ringmark::analysis
