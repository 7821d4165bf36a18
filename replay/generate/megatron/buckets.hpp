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

/// One of a chunk's buffers: that of the tensors that all data-parallel ranks share, or that of the experts.
struct Buffer {
  bool is_of_experts = false;
  std::vector<Bucket> buckets;  ///< in the order in which gradients become ready: the chunk's last tensors first
};

struct Buffers {
  std::vector<Buffer> all;
  bool is_joint = false;  ///< all buckets of a buffer are one launch
  /// By module: buffer and bucket of each of its tensors, in order of registration.
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> of_module;
};

/// The buckets of the chunk `at`. Without `may_cut` each buffer is one bucket, except for a shared embedding.
Buffers make_buffers(const Settings& settings, const std::vector<Chunk>& chunks, std::size_t at, bool may_cut);

}  // namespace ringmark::replay::megatron
