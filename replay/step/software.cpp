#include "replay/step/software.hpp"

namespace ringmark::replay {
namespace {

/// Gains, passes and launches of unfused software are fitted to vTrain's steps, those of fused attention to MosaicML's
/// MPT. compiled and megatron-core pass over what products and norms read and write once: fused kernels of a Llama read
/// and write 42 times a token's width in the forward pass of a layer and 56 times in the backward pass, and their
/// products and norms 48 and 96 times. FlagPerf measured the same clock gain (docs/REPLAY.md). Losses: the logits in
/// float32, their softmax and gradient, or a fused kernel. The passes of transformers, whose norms, rotary embeddings
/// and activations are several kernels each in float32, and its bytes of activations are fitted to Llama's steps on one
/// H200 (tests/replay/files/measured_gpu_steps.csv); its launches, and its logits in 16 and in 32 bits with their
/// softmax and gradient, are estimates. Megatron pads its vocabulary, and torch.compile its matrices.
constexpr std::array kinds{
    Software{Software::Kind::unfused, "unfused", false, AttentionKernels::first, false, 1.12, 1, 30, 10, 153},
    Software{Software::Kind::fused_attention, "fused-attention", true, AttentionKernels::first, false, 1, 1.8, 30, 4, 8,
             false},
    Software{Software::Kind::compiled, "compiled", true, AttentionKernels::second, false, 1, 1, 20, 4, 4},
    Software{Software::Kind::megatron_core, "megatron-core", true, AttentionKernels::vendors, true, 1, 1, 20, 4, 4},
    Software{Software::Kind::transformers, "transformers", true, AttentionKernels::vendors, false, 1, 4.8, 30, 14, 60,
             false, 52},
};

}  // namespace

const std::array<Software, 5>& all_software() { return kinds; }

const Software& software_of(Software::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::vector<std::pair<std::string_view, Software::Kind>> software_choices() {
  std::vector<std::pair<std::string_view, Software::Kind>> choices;
  for (const auto& each : kinds) choices.emplace_back(each.name, each.kind);
  return choices;
}

std::string software_names() {
  std::string names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    names += i == 0 ? "" : i + 1 == kinds.size() ? " or " : ", ";
    names += kinds[i].name;
  }
  return names;
}

std::optional<Software::Kind> parse_software(std::string_view text) {
  for (const auto& each : kinds) {
    if (each.name == text) return each.kind;
  }
  return std::nullopt;
}

}  // namespace ringmark::replay
