// Memory of a rank. Model states follow Rajbhandari et al., "ZeRO" (SC 2020), buffers follow DeepSpeed's allocations,
// and activations follow Korthikanti et al. (2022), with attention that keeps no scores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Bytes in 16-bit training. Activations of a layer for the backward pass, and its input alone: per token and unit of
/// width. Logits (16-bit, float32 for the loss, gradient): per token and word of the vocabulary.
constexpr double activation_bytes = 34, layer_input_bytes = 2, logit_bytes = 2 + 4 + 4;

/// Without the model's dimensions, activations are unknown: a part of 0 bytes says so.
std::vector<MemoryPart> memory_of(const Model& model, const StepSettings& settings);

/// Share of a device's memory that the step can use: the rest goes to the context, NCCL and fragmentation.
constexpr double usable_share = 0.94;

/// The most samples of a rank in a micro-step; 0 if not even one fits. `memory` belongs to `micro_batch`. Nothing if
/// `memory` does not show how much a sample needs.
std::optional<std::uint64_t> largest_micro_batch(const std::vector<MemoryPart>& memory, std::uint64_t micro_batch,
                                                 double device_bytes);

bool fits(const std::vector<MemoryPart>& memory, double device_bytes);
/// "fits: 61.2 GiB of the 75.2 GiB that a rank can use" or "out of memory: …", and a line for each part.
std::string describe(const std::vector<MemoryPart>& memory, double device_bytes);

}  // namespace ringmark::replay
