// The buckets in which Megatron's DistributedDataParallel reduces gradients, and its optimizer gathers weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/generate/megatron/chunk.hpp"

namespace ringmark::replay::megatron {

struct Bucket {
  std::uint64_t elements = 0;  ///< padded
  int tensors = 0;
};

/// One of a chunk's buffers: of the tensors that all data-parallel ranks share, or of the experts.
struct Buffer {
  bool is_of_experts = false;
  std::vector<Bucket> buckets;  ///< in the order in which gradients become ready: the chunk's last tensors first
};

struct Buffers {
  std::vector<Buffer> all;
  bool is_joint = false;  ///< all buckets of a buffer are one launch
  /// Buffer and bucket of a module's tensors, one after another in order of registration.
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> of_module;
};

/// The buckets of one of a stage's chunks. Without `may_cut` each buffer is one bucket, except a shared embedding's.
Buffers make_buffers(const Settings& settings, const std::vector<Chunk>& chunks, std::size_t at, bool may_cut);

}  // namespace ringmark::replay::megatron
