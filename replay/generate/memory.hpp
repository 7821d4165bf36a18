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

/// Bytes in 16-bit training. A layer's input: per token and unit of width. Scores of attention that is not fused, with
/// their softmax and mask: per token, token of its sequence and head.
constexpr double layer_input_bytes = 2, unfused_score_bytes = 5;

/// The figures of a model on which memory depends.
struct MemoryShape {
  double parameters = 0, trained = 0;
  double outside_layers = 0;  ///< parameters
  double layers = 0, hidden = 0, heads = 0, vocabulary = 0;
  double recomputed = 0;  ///< share of the layers that are computed again
  double eager_kept = 0;  ///< bytes of a token in a layer where each operator is a kernel of its own; 0: unknown
};
MemoryShape shape_of(const Model& model, const StepSettings& settings);

/// Without the model's dimensions, activations are unknown: a part of 0 bytes says so.
std::vector<MemoryPart> memory_of(const MemoryShape& model, const StepSettings& settings);
std::vector<MemoryPart> memory_of(const Model& model, const StepSettings& settings);

/// Share of a device's memory that the step can use: the rest goes to the context, NCCL and fragmentation.
constexpr double usable_share = 0.94;

/// The most samples of a rank in a micro-step; 0 if not even one fits. `memory` belongs to `micro_batch`. Nothing if
/// `memory` does not show how much a sample needs.
std::optional<std::uint64_t> largest_micro_batch(const std::vector<MemoryPart>& memory, std::uint64_t micro_batch,
                                                 double device_bytes);

bool fits(const std::vector<MemoryPart>& memory, double device_bytes);
/// The smallest change to the settings with which the step fits: "--micro-batch 2 --grad-accum 8", say. Nothing if none
/// was found.
std::optional<std::string> change_that_fits(const Model& model, const StepSettings& settings, double device_bytes);

/// "fits: 61.2 GiB of the 75.2 GiB that a rank can use" or "out of memory: …", and a line for each part.
std::string describe(const std::vector<MemoryPart>& memory, double device_bytes);

}  // namespace ringmark::replay
