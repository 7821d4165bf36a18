// Memory traffic and memory of Hugging Face's layers where each operator is a kernel of its own, as without
// compilation.
#pragma once

#include <optional>

#include "replay/model/model.hpp"

namespace ringmark::replay {

/// Types of weights and of what is computed: autocast has weights in 32 bits and casts to 16, half has both in 16 bits.
enum class Precision { autocast, half, single };

/// Bytes per token in a layer, without products and attention.
struct LayerBytes {
  double forward = 0, backward = 0;  ///< read and written
  double kept = 0;                   ///< for the backward pass
};

/// Empty for a model of unknown type.
std::optional<LayerBytes> eager_layer_bytes(const Model& model, Precision precision);

/// Bytes per parameter that each pass reads and writes in addition to products: autocast copies weights and their
/// gradients.
double eager_parameter_bytes(Precision precision);

/// Bytes of a token's input to a layer per unit of width: autocast leaves the residuals in float32.
double eager_layer_input_bytes(Precision precision);

}  // namespace ringmark::replay
