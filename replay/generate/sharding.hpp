// How PyTorch's FSDP and FSDP2 (fully_shard) shard a model, in their own terms.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace ringmark::replay {

enum class ShardingStrategy { full_shard, shard_grad_op, hybrid_shard, hybrid_shard_zero2, no_shard };

constexpr std::array<std::pair<std::string_view, ShardingStrategy>, 5> sharding_strategies{{
    {"FULL_SHARD", ShardingStrategy::full_shard},
    {"SHARD_GRAD_OP", ShardingStrategy::shard_grad_op},
    {"HYBRID_SHARD", ShardingStrategy::hybrid_shard},
    {"HYBRID_SHARD_ZERO2", ShardingStrategy::hybrid_shard_zero2},
    {"NO_SHARD", ShardingStrategy::no_shard},
}};

/// When the backward pass gathers the unit that it needs next: before it computes a unit's gradients, after them, or
/// not ahead at all.
enum class BackwardPrefetch { pre, post, none };

constexpr std::array<std::pair<std::string_view, BackwardPrefetch>, 3> backward_prefetches{{
    {"BACKWARD_PRE", BackwardPrefetch::pre},
    {"BACKWARD_POST", BackwardPrefetch::post},
    {"NO_PREFETCH", BackwardPrefetch::none},
}};

constexpr std::string_view name(ShardingStrategy strategy) {
  return sharding_strategies[static_cast<std::size_t>(strategy)].first;
}
constexpr std::string_view name(BackwardPrefetch prefetch) {
  return backward_prefetches[static_cast<std::size_t>(prefetch)].first;
}

/// Whether weights are freed after the forward pass. A number: that many ranks share one copy until the backward pass.
using ReshardAfterForward = std::variant<bool, int>;

struct Sharding {
  ShardingStrategy strategy = ShardingStrategy::full_shard;    ///< FSDP
  std::optional<int> degree;                                   ///< ranks that share one copy of the states
  std::optional<ReshardAfterForward> reshard_after_forward;    ///< FSDP2; nothing: true for all units except the root
  bool wraps_root_only = false;                                ///< the model is one unit; otherwise each layer is one
  BackwardPrefetch backward_prefetch = BackwardPrefetch::pre;  ///< FSDP
  bool forward_prefetch = false;                               ///< FSDP
  bool use_orig_params = false;                                ///< FSDP
  bool no_sync = false;                                        ///< gradients are reduced only in the last micro-step

  bool is_hybrid() const {
    return strategy == ShardingStrategy::hybrid_shard || strategy == ShardingStrategy::hybrid_shard_zero2;
  }
  /// Whether FSDP frees weights after the forward pass.
  bool strategy_reshards() const {
    return strategy == ShardingStrategy::full_shard || strategy == ShardingStrategy::hybrid_shard;
  }
  bool operator==(const Sharding&) const = default;
};

}  // namespace ringmark::replay
