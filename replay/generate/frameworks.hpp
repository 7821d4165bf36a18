// The frameworks' hooks. Each is made once for a training run and may keep state from step to step.
#pragma once

#include <memory>

#include "replay/generate/step_walk.hpp"

namespace ringmark::replay {

/// PyTorch's DistributedDataParallel: buckets by bytes in gradient-ready order; the first one has 1 MiB.
std::unique_ptr<StepHooks> make_ddp(const Model& model, const StepSettings& settings, TraceBuilder& builder);

/// DeepSpeed without ZeRO: all_reduce of everything after the last backward pass.
std::unique_ptr<StepHooks> make_stage0(const Model& model, const StepSettings& settings, TraceBuilder& builder);

/// ZeRO 1 and 2.
std::unique_ptr<StepHooks> make_stage12(const Model& model, const StepSettings& settings, TraceBuilder& builder);

/// ZeRO 3, with ZeRO++.
std::unique_ptr<StepHooks> make_stage3(const Model& model, const StepSettings& settings, TraceBuilder& builder);

/// PyTorch's FullyShardedDataParallel. `model` may count whole units as trained (train_whole_units), although only
/// `trained_elements` require gradients.
std::unique_ptr<StepHooks> make_fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder,
                                     std::uint64_t trained_elements);

/// PyTorch's fully_shard.
std::unique_ptr<StepHooks> make_fsdp2(const Model& model, const StepSettings& settings, TraceBuilder& builder);

/// The parameters of each of the optimizer's groups, in its order, without those that require no gradient.
std::vector<std::vector<int>> parameter_groups(const Model& model, const StepSettings& settings);

/// Bytes that Adam moves: it reads and writes the float32 states, the gradient and the weight. Before that, clipped
/// gradients are read for their norm, and scaled.
double adam_bytes(double elements, bool clips_gradients);
/// Adds Adam on this rank's share.
void add_adam(TraceBuilder& builder, double elements, bool clips_gradients);

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace ringmark::replay
