// The groups of ranks by Megatron's order of dimensions: tp, cp, ep, dp, pp, or with dp last.
#pragma once

#include <vector>

#include "replay/generate/megatron/settings.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay::megatron {

enum class Over {
  world,
  tensor,
  data,            ///< with context
  shards,          ///< data-parallel ranks that share an instance of the optimizer's shards
  instances,       ///< the ranks of all instances that hold the same shard
  whole_instance,  ///< all ranks of an instance
  pipeline,
  model,      ///< tensor and pipeline
  embedding,  ///< first and last stage
  context,
  tensor_and_context,
  tensor_and_data,
  expert,
  expert_tensor,
  expert_tensor_and_expert,
  expert_data,
  expert_model,  ///< tensor, expert and pipeline
  expert_shards,
  expert_instances,  ///< as `shards` and `instances`, of experts
};

class Grid {
 public:
  explicit Grid(const Settings& settings);

  const std::vector<RankGroup>& groups() const { return groups_; }
  const RankGroup& operator[](Over over) const { return groups_[index(over)]; }
  int size(Over over) const { return (*this)[over].size(); }
  static std::size_t index(Over over) { return static_cast<std::size_t>(over); }
  int stage_stride() const { return stage_stride_; }

 private:
  std::vector<RankGroup> groups_;  ///< by Over
  int stage_stride_;
};

}  // namespace ringmark::replay::megatron
