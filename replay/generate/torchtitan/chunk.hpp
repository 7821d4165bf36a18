// A part of the model as one rank holds it, in the units that fully_shard gathers and reduces as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/generate/torchtitan/settings.hpp"

namespace ringmark::replay::torchtitan {

/// A rank's part of a tensor before fully_shard shards it. fully_shard splits the dimension `rows`.
struct Tensor {
  std::uint64_t outer = 1, rows = 1, inner = 1;
  /// Each rank of a tensor group has all of it, and computes a part of its gradient.
  bool is_summed_over_tp = false;
  bool is_head = false;  ///< its gradient comes with the loss

  std::uint64_t elements() const { return outer * rows * inner; }
  /// Elements, including the rows that make all shards equal.
  std::uint64_t padded(int shards) const;
};

struct TensorGroup {
  bool of_experts = false;  ///< sharded over groups of ranks of their own
  std::vector<Tensor> tensors;
};

struct Unit {
  enum class Kind { embedding, layer, head };

  Kind kind = Kind::layer;
  std::uint64_t layer = 0;          ///< of the model
  std::vector<TensorGroup> groups;  ///< experts last
};

struct Chunk {
  int stage = 0;
  std::vector<Unit> units;  ///< in the order of execution

  bool has(Unit::Kind kind) const;
  std::uint64_t tensors(bool of_experts) const;
  std::uint64_t elements(bool of_experts) const;
};

Chunk make_chunk(const Settings& settings, int stage);
/// The stages of a pipeline rank, in the rank's own order.
std::vector<int> stages_of(const Settings& settings, int rank);
/// The pipeline rank that has a stage.
int rank_of_stage(const Settings& settings, int stage);

}  // namespace ringmark::replay::torchtitan
