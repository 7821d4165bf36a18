#include "replay/generate/torchtitan/step_end.hpp"

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay::torchtitan {

void StepEnd::count_tokens(PassBuilder& pass) {
  pass.call({.elements = 1, .type = DataType::int64, .over = Over::batch, .tag = "tokens"});
}

/// Reduces the norms of all tensors together.
void StepEnd::norm(PassBuilder& pass, bool of_experts, std::initializer_list<Over> over) const {
  std::uint64_t tensors = 0;
  for (const auto& each : passes_) tensors += each->weights().tensors_with_gradient(of_experts);
  if (tensors == 0) return;
  for (const auto ranks : over)
    pass.call({.elements = tensors, .type = DataType::float32, .over = ranks, .tag = "norm"});
}

void StepEnd::clip(PassBuilder& pass) const {
  for (const auto over : {Over::shards, Over::instances, Over::expert_shards, Over::expert_instances}) pass.drain(over);
  // Reductions over two dimensions are a single call if a mesh of their ranks exists: that of the loss or of the
  // shards.
  const auto& sizes = settings_.sizes;
  if (sizes.tensor == 1 && settings_.weight_shards(true) > 1 && (sizes.replicas == 1 || sizes.context > 1)) {
    norm(pass, true, {Over::shards});
  } else {
    norm(pass, true, {Over::expert_shards, Over::expert});
  }
  norm(pass, false, {Over::shards, Over::tensor});
  pass.call({.elements = 1, .type = DataType::float32, .over = Over::pipeline, .tag = "norm"});
}

void StepEnd::optimize(PassBuilder& pass) const {
  double elements = 0;
  for (const auto& chunk : chunks_) {
    for (const bool of_experts : {false, true})
      elements += static_cast<double>(chunk->elements(of_experts)) / settings_.weight_shards(of_experts);
  }
  pass.compute(0, adam_bytes(elements, true), "adam");
}

void StepEnd::report(PassBuilder& pass) const {
  std::uint64_t layers = 0;
  for (const auto& chunk : chunks_) {
    for (const auto& unit : chunk->units)
      layers += unit.kind == Unit::Kind::layer && settings_.model.has_experts(unit.layer) ? 1 : 0;
  }
  if (layers > 0) {
    for (const auto over : {Over::tensor, Over::data}) {
      // Without expert parallelism all ranks of a tensor group see the same tokens.
      if (over == Over::tensor && settings_.sizes.expert == 1) continue;
      pass.call({.elements = layers * static_cast<std::uint64_t>(settings_.model.experts.count),
                 .type = DataType::float32,
                 .over = over,
                 .tag = "expert bias"});
    }
  }
  if (!settings_.logs) return;
  pass.call({.elements = 1, .type = DataType::float32, .over = Over::data, .tag = "loss"});
  pass.call({.elements = 1, .type = DataType::float32, .over = Over::data, .op = ReduceOp::max, .tag = "loss"});
  pass.call({.elements = 1, .type = DataType::int64, .over = Over::data, .tag = "tokens"});
}

}  // namespace ringmark::replay::torchtitan
