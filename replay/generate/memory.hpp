// What a rank must hold. Model states after Rajbhandari et al., "ZeRO" (SC 2020), buffers as DeepSpeed allocates them,
// activations after Korthikanti et al. (2022) with attention that keeps no scores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// In 16 bits: of a layer, for each token and unit of width, what the backward pass needs, and the layer's input alone;
/// for each token and word of the vocabulary the logits: as they come, in float32 for the loss, and their gradient.
constexpr double activation_bytes = 34, layer_input_bytes = 2, logit_bytes = 2 + 4 + 4;

/// Activations need the model's dimensions; without them they are left out, and said so by a part of 0 bytes.
std::vector<MemoryPart> memory_of(const Model& model, const StepSettings& settings);

/// Of what a device has, frameworks leave this to the step: the rest goes to the context, NCCL and fragmentation.
constexpr double usable_share = 0.94;

/// Samples of a rank in a micro-step, 0 if not even one fits; `memory` is that of `micro_batch`. Nothing if it does not
/// tell what a sample needs.
std::optional<std::uint64_t> largest_micro_batch(const std::vector<MemoryPart>& memory, std::uint64_t micro_batch,
                                                 double device_bytes);

bool fits(const std::vector<MemoryPart>& memory, double device_bytes);
/// "fits: 61.2 GiB of the 75.2 GiB that a rank can use" or "out of memory: …", and a line for each part.
std::string describe(const std::vector<MemoryPart>& memory, double device_bytes);

}  // namespace ringmark::replay
