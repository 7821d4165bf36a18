// Memory of a rank. Model states follow Rajbhandari et al., "ZeRO" (SC 2020), buffers follow DeepSpeed's allocations,
// and activations follow Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models" (2022).
#pragma once

#include <cstdint>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// The properties of a model on which memory depends.
struct MemoryShape {
  double parameters = 0, trained = 0;
  double outside_layers = 0;  ///< parameters
  double layers = 0, hidden = 0, heads = 0, vocabulary = 0;
  double recomputed = 0;       ///< share of the layers that are recomputed
  double core_recomputed = 0;  ///< share of the layers in which only core attention is recomputed
  double eager_kept = 0;  ///< bytes that a layer keeps of a token if each operator is a kernel of its own; 0: unknown
};
MemoryShape shape_of(const Model& model, const StepSettings& settings);

/// Bytes that a token keeps for the backward pass in 16-bit training.
struct KeptBytes {
  double layer = 0;   ///< of a layer, for each unit of width, without attention's scores
  double input = 0;   ///< of a layer that is recomputed, for each unit of width
  double scores = 0;  ///< of a layer, for each token of the sequence: with softmax and mask, where they are not fused
  double logit = 0;   ///< for each token of the vocabulary
};
KeptBytes kept_bytes(const MemoryShape& model, const StepSettings& settings);

/// Without the model's dimensions, activations are unknown: a part of 0 bytes marks this.
std::vector<MemoryPart> memory_of(const MemoryShape& model, const StepSettings& settings);
std::vector<MemoryPart> memory_of(const Model& model, const StepSettings& settings);

}  // namespace ringmark::replay
