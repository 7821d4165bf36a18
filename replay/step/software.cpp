#include "replay/step/software.hpp"

namespace ringmark::replay {
namespace {

/// Gains, passes, launches and intervals are fitted to published steps: unfused to vTrain's, fused attention to
/// MosaicML's MPT. The two other kinds lie near the latter: one published row (Megatron-LM's README) says little of
/// them, so their intervals are wide. FlagPerf measured the same clock gain (docs/REPLAY.md). Losses: the logits in
/// float32, their softmax and gradient, or a fused kernel.
constexpr std::array kinds{
    Software{Software::Kind::unfused, "unfused", false, false, 1.12, 1, 30, 10, 153, 0.92, 1.08},
    Software{Software::Kind::fused_attention, "fused-attention", true, false, 1, 1.8, 30, 4, 8, 0.91, 1.1},
    Software{Software::Kind::compiled, "compiled", true, true, 1, 1.9, 20, 4, 4, 0.82, 1.22},
    Software{Software::Kind::megatron_core, "megatron-core", true, true, 1, 1.9, 20, 4, 4, 0.82, 1.22},
};

}  // namespace

const std::array<Software, 4>& all_software() { return kinds; }

const Software& software_of(Software::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<Software::Kind> parse_software(std::string_view text) {
  for (const auto& each : kinds) {
    if (each.name == text) return each.kind;
  }
  return std::nullopt;
}

}  // namespace ringmark::replay
