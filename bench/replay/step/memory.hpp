// What a rank must hold. Model states after Rajbhandari et al., "ZeRO" (SC 2020), buffers as DeepSpeed allocates them,
// activations after Korthikanti et al. (2022) with attention that keeps no scores.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/replay/generate/step_settings.hpp"
#include "bench/replay/model/model.hpp"

namespace ringmark::replay {

/// Bytes by what they are for, in the order of the sum.
struct Memory {
  std::vector<std::pair<std::string, double>> parts;

  double total_bytes() const;
};

/// Activations need the model's dimensions; without them they are left out, and said so by a part of 0 bytes.
Memory memory_of(const Model& model, const StepSettings& settings);

/// Of what a device has, frameworks leave this to the step: the rest goes to the context, NCCL and fragmentation.
constexpr double usable_share = 0.94;

/// Samples of a rank in a micro-step; 0 if not even one fits.
std::uint64_t largest_micro_batch(const Model& model, StepSettings settings, double device_bytes);

/// "fits: 61.2 of 75.2 GiB" or "out of memory: …", with the sum.
std::string describe(const Memory& memory, double device_bytes);

}  // namespace ringmark::replay
