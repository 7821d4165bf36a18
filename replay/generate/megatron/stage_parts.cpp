#include "replay/generate/megatron/stage_parts.hpp"

#include <algorithm>

namespace ringmark::replay::megatron {

StageParts::StageParts(const Settings& settings, int stage) {
  for (const auto& place : places_of(settings, stage)) chunks.push_back(make_chunk(settings, place));
  for (std::size_t at = 0; at < chunks.size(); ++at) {
    // Stages after the first one, and further chunks, reduce all gradients at once.
    const bool may_cut = settings.overlaps_gradients && stage == 0 && at == 0;
    buffers.push_back(make_buffers(settings, chunks, at, may_cut));
  }
}

bool StageParts::has_expert_buffers() const {
  return std::any_of(buffers.begin(), buffers.end(), [](const auto& each) { return each.all.size() > 1; });
}

}  // namespace ringmark::replay::megatron
