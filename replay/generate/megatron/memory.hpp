// Memory of a rank by pipeline stage.
#pragma once

#include <vector>

#include "replay/generate/megatron/chunk.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay::megatron {

/// Of a rank of the stage with these chunks, with fused attention. The parts of micro-batches grow with the samples in
/// one.
std::vector<MemoryPart> memory_of(const Settings& settings, const std::vector<Chunk>& chunks, int stage);
/// Of a rank of the fullest stage.
std::vector<MemoryPart> memory_of(const Settings& settings);

}  // namespace ringmark::replay::megatron
