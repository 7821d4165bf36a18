#include "replay/step/software.hpp"

#include <array>

#include <fmt/ranges.h>

namespace ringmark::replay {
namespace {

/// Gains, passes and launches of unfused software are fitted to vTrain's steps, those of fused attention to MosaicML's
/// MPT. compiled and megatron-core pass over what products and norms read and write once: fused kernels of a Llama read
/// and write 42 times a token's width in the forward pass of a layer and 56 times in the backward pass, and their
/// products and norms 48 and 96 times. FlagPerf measured the same clock gain (docs/method/computation.md). Losses: the
/// logits in float32, their softmax and gradient, or a fused kernel. transformers, whose norms, rotary embeddings and
/// activations are several kernels each, has the passes that were counted for the model's type
/// (replay/model/eager_layers.cpp). The bytes of a logit that its loss moves were counted with them. Its passes and its
/// bytes of activations for other types are fitted to Llama's steps on one H200
/// (tests/replay/files/measured_gpu_steps.csv). Its launches, and its logits in 16 and in 32 bits with their softmax
/// and gradient, are estimates. Megatron pads its vocabulary, and torch.compile its matrices.
constexpr std::array kinds{
    Software{.kind = Software::Kind::unfused,
             .name = "unfused",
             .fuses_attention = false,
             .clock_gain = 1.12,
             .loss_bytes_per_logit = 30,
             .logit_bytes = 10,
             .launch_us = 153},
    Software{.kind = Software::Kind::fused_attention,
             .name = "fused-attention",
             .passes = {1.8, 1.8},
             .loss_bytes_per_logit = 30,
             .logit_bytes = 4,
             .launch_us = 8,
             .pads_vocabulary = false},
    Software{.kind = Software::Kind::compiled,
             .name = "compiled",
             .attention = AttentionKernels::second,
             .loss_bytes_per_logit = 20,
             .logit_bytes = 4,
             .launch_us = 4},
    Software{.kind = Software::Kind::megatron_core,
             .name = "megatron-core",
             .attention = AttentionKernels::vendors,
             .scales_late = true,
             .loss_bytes_per_logit = 20,
             .logit_bytes = 4,
             .launch_us = 4},
    Software{.kind = Software::Kind::transformers,
             .name = "transformers",
             .attention = AttentionKernels::vendors,
             .passes = {4.8, 4.8},
             .runs_eagerly = true,
             .loss_bytes_per_logit = 36,
             .float32_loss_bytes_per_logit = 24,
             .logit_bytes = 14,
             .launch_us = 60,
             .pads_vocabulary = false,
             .activation_bytes = 52},
};

}  // namespace

const Software& software_of(Software::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

Software with_passes(const Software& software, const std::optional<Passes>& counted) {
  auto result = software;
  if (!software.runs_eagerly || !counted) return result;
  result.passes = *counted;
  result.passes_are_counted = true;
  return result;
}

std::vector<std::pair<std::string_view, Software::Kind>> software_choices() {
  std::vector<std::pair<std::string_view, Software::Kind>> choices;
  for (const auto& each : kinds) choices.emplace_back(each.name, each.kind);
  return choices;
}

std::string software_names() {
  std::vector<std::string_view> names;
  for (const auto& each : kinds) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<Software::Kind> parse_software(std::string_view text) {
  for (const auto& each : kinds) {
    if (each.name == text) return each.kind;
  }
  return std::nullopt;
}

}  // namespace ringmark::replay
