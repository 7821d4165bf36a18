// Whether a rank's memory fits a device, and what would make it fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/generate/memory.hpp"

namespace ringmark::replay {

/// Share of a device's memory that the step can use: the rest goes to the context, NCCL and fragmentation.
constexpr double usable_share = 0.94;

/// The largest number of samples per rank in a micro-step; 0 if not even one fits. `memory` is that of `micro_batch`
/// samples. Nothing if it does not show how much a sample needs.
std::optional<std::uint64_t> largest_micro_batch(const std::vector<MemoryPart>& memory, std::uint64_t micro_batch,
                                                 double device_bytes);

bool fits(const std::vector<MemoryPart>& memory, double device_bytes);
/// The number of ranks is doubled repeatedly, up to this limit.
constexpr int most_ranks_tried = 4096;

/// The smallest change to the settings with which the step fits: "--micro-batch 2 --grad-accum 8", say. If the
/// framework cannot shard all states and nothing else helps, suggests FSDP and ZeRO 3. Nothing if none was found.
std::optional<std::string> change_that_fits(const Model& model, const StepSettings& settings, double device_bytes);

/// "fits: 61.2 GiB of the 75.2 GiB that a rank can use" or "out of memory: …", and a line for each part.
std::string describe(const std::vector<MemoryPart>& memory, double device_bytes);

}  // namespace ringmark::replay
