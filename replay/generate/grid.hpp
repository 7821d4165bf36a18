// The groups of ranks of a step with several kinds of parallelism, each by the ranks that it joins.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

enum class Over {
  world,
  tensor,
  batch,           ///< ranks with samples of their own: data-parallel, without context-parallel ones
  data,            ///< the same with context-parallel ranks
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
  expert_instances,  ///< as `shards` and `instances`, for experts
};

class Grid {
 public:
  using Groups = std::vector<std::pair<Over, std::vector<RankGroup::Dimension>>>;

  /// The dimensions of a group are in the order of their strides; groups that are not given have one rank. A rank's
  /// pipeline stage is its number divided by `stage_stride`.
  Grid(const Groups& groups, int stage_stride);

  const std::vector<RankGroup>& groups() const { return groups_; }
  const RankGroup& operator[](Over over) const { return groups_[index(over)]; }
  int size(Over over) const { return (*this)[over].size(); }
  static std::size_t index(Over over) { return static_cast<std::size_t>(over); }
  int stage_stride() const { return stage_stride_; }

 private:
  std::vector<RankGroup> groups_;  ///< by Over
  int stage_stride_;
};

}  // namespace ringmark::replay
