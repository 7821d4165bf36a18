// Memory of a rank by pipeline stage.
#pragma once

#include <vector>

#include "replay/generate/megatron/chunk.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay::megatron {

/// The memory of a rank of the stage with these chunks, with fused attention. Parts that belong to micro-batches grow
/// with the number of samples in one.
std::vector<MemoryPart> memory_of(const Settings& settings, const std::vector<Chunk>& chunks, int stage);
/// The memory of a rank of the fullest stage.
std::vector<MemoryPart> memory_of(const Settings& settings);

}  // namespace ringmark::replay::megatron
