// Kinds of training software: how often its kernels pass over memory, and how long the host needs to launch them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmark::replay {

/// Fused attention: FlashAttention's first kernels, its second ones (as PyTorch has them), or the device's vendor's.
enum class AttentionKernels { first, second, vendors };

/// How often kernels pass over what products and norms read and write.
struct Passes {
  double forward = 1, backward = 1;

  bool operator==(const Passes&) const = default;
};

struct Software {
  /// transformers: Hugging Face's, without compilation.
  enum class Kind { unfused, fused_attention, compiled, megatron_core, transformers };

  Kind kind = Kind::unfused;
  std::string_view name;
  bool fuses_attention = true;  ///< otherwise the scores travel through memory
  AttentionKernels attention = AttentionKernels::first;
  bool scales_late = false;  ///< FP8 with scales of earlier steps
  /// The clock during products relative to that of back-to-back products: a device that often waits keeps a higher
  /// clock than at full power.
  double clock_gain = 1;
  Passes passes = {};               ///< through memory
  bool runs_eagerly = false;        ///< kernel by kernel: passes are the model's own, where they were counted
  bool passes_are_counted = false;  ///< in layers: the product that feeds the loss has none besides the loss's
  double loss_bytes_per_logit = 0;  ///< read and written in both passes of 16-bit training
  std::optional<double> float32_loss_bytes_per_logit = std::nullopt;  ///< empty: twice as many
  double logit_bytes = 0;                                             ///< kept per logit in 16-bit training
  double launch_us = 0;                                               ///< the host's time per module
  bool pads_vocabulary = true;                                        ///< to a size whose products are fast
  double activation_bytes = 34;  ///< kept per layer and unit of a token's width in 16 bits, without attention's scores
};

/// Assumed if no other is given.
constexpr auto usual_software = Software::Kind::fused_attention;

/// Bytes per score that unfused attention reads and writes in 16 bits, in the forward and in the backward pass.
constexpr double score_bytes_forward = 15, score_bytes_backward = 24;

const Software& software_of(Software::Kind kind);
/// The software with the counted passes, if it runs kernel by kernel and any were counted.
Software with_passes(const Software& software, const std::optional<Passes>& counted);
/// The names with their kinds, for flags and keys.
std::vector<std::pair<std::string_view, Software::Kind>> software_choices();
/// "unfused, fused-attention, ..."
std::string software_names();
std::optional<Software::Kind> parse_software(std::string_view text);

}  // namespace ringmark::replay
