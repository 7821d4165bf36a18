// The chunks of a pipeline stage, and their buckets.
#pragma once

#include <optional>
#include <vector>

#include "replay/generate/megatron/buckets.hpp"

namespace ringmark::replay::megatron {

struct StageParts {
  std::vector<Chunk> chunks;
  std::vector<Buffers> buffers;  ///< by chunk

  StageParts(const Settings& settings, int stage);

  bool has_expert_buffers() const;
  /// Calls `use(buffer, bucket, batch)` for each bucket. Chunks after the first launch the buckets of a buffer
  /// together.
  template <class Use>
  void for_buckets(int chunk, const Use& use) const {
    const auto& of_chunk = buffers[static_cast<std::size_t>(chunk)].all;
    for (std::size_t at = 0; at < of_chunk.size(); ++at) {
      const auto batch = chunk > 0 ? std::optional(2 * chunk + static_cast<int>(at)) : std::nullopt;
      for (const auto& bucket : of_chunk[at].buckets) use(of_chunk[at], bucket, batch);
    }
  }
};

}  // namespace ringmark::replay::megatron
