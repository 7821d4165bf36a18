// The mildest change to a step's settings with which it fits into memory, for predictions and plans.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "replay/generate/step_settings.hpp"

namespace ringmark::replay {

/// The largest micro-batch, at most the one of these settings, with which the step fits; 0 if none does. It divides the
/// settings' own, so that more micro-steps keep the batch of a step.
using FittingMicroBatch = std::function<std::uint64_t(const StepSettings& settings)>;

/// A smaller micro-batch, if that is enough. Otherwise the first of these with which the step fits as it is, or else
/// with a smaller micro-batch: recomputation (selective, or else in full), more sharding (a later stage of DeepSpeed;
/// FSDP's and FSDP2's weights freed after the forward pass; one copy of the states instead of one for each group),
/// both, and the same with ranks doubled repeatedly, up to `largest_job`. Nothing if none was found.
std::optional<StepSettings> mildest_change(const StepSettings& settings, int largest_job,
                                           const FittingMicroBatch& fitting_micro_batch);

}  // namespace ringmark::replay
