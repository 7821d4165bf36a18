// Settings and questions that several tests of training steps begin with.
#pragma once

#include "replay/generate/memory_fit.hpp"

namespace ringmark::replay {

/// DeepSpeed's, of two micro-steps.
inline StepSettings zero(int stage, int ranks) {
  StepSettings settings;
  settings.zero_stage = stage;
  settings.ranks = ranks;
  settings.micro_steps = 2;
  return settings;
}

inline std::uint64_t largest_batch(const Model& model, const StepSettings& settings, double device_bytes) {
  return largest_micro_batch(memory_of(model, settings), settings.micro_batch, device_bytes).value();
}

}  // namespace ringmark::replay
