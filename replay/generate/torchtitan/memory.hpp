// The memory of a rank with torchtitan: states in float32, sharded; gathered weights; activations in flight.
#pragma once

#include <memory>
#include <vector>

#include "replay/generate/torchtitan/chunk.hpp"
#include "replay/generate/torchtitan/schedule.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay::torchtitan {

std::vector<MemoryPart> memory_of(const Settings& settings, const std::vector<std::unique_ptr<Chunk>>& chunks,
                                  const std::vector<Action>& actions);

}  // namespace ringmark::replay::torchtitan
