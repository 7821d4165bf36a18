// The time of operators on a device.
#pragma once

#include "replay/step/device.hpp"
#include "replay/step/software.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// The type of matrix products: the model's own, or FP8 for all but the product that feeds the loss.
enum class ProductType { models, float8 };

/// A tile's prologue and epilogue cost as much as this many terms of its sums in 16 bits.
constexpr double tile_overhead_terms = 96;

/// In sequences of this many tokens, tuned attention reaches half of its share of the peak: FlashAttention-2 and cuDNN
/// are within 10 % of this from 512 to 16384 tokens, on the A100 and the H100.
constexpr double half_speed_tokens = 400;

/// The share of the peak that fused attention reaches in sequences of that many tokens.
double attention_share(const Device& device, const Software& software, double tokens);

/// Microseconds of a product of matrices: its tiles in waves over the multiprocessors, which reach `TFLOPS`.
double product_us(int multiprocessors, double TFLOPS, double rows, double columns, double inner,
                  double overhead_terms = tile_overhead_terms);

/// Microseconds that the device itself needs for a computation or copy, without the host's launches.
double device_us(const Event& event, const Device& device, const Software& software, bool is_float32,
                 ProductType products = ProductType::models);

}  // namespace ringmark::replay
