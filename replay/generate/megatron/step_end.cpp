#include "replay/generate/megatron/step_end.hpp"

#include "replay/generate/frameworks.hpp"
#include "replay/generate/megatron/bucket_calls.hpp"

namespace ringmark::replay::megatron {

void StepEnd::finalize(PassBuilder& pass) const {
  for (const auto over :
       {Over::data, Over::shards, Over::instances, Over::expert_data, Over::expert_shards, Over::expert_instances})
    pass.drain(over);
  std::uint64_t summed = 0;
  for (const auto& chunk : parts_.chunks) summed += chunk.summed_over_tp();
  if (summed > 0)
    pass.call({.elements = summed, .type = settings_.gradient_type, .over = Over::tensor, .tag = "norms"});
  const bool is_end = stage_ == 0 || is_last_stage();
  if (settings_.model.is_tied && is_end)
    pass.call({.elements = settings_.model.vocabulary * settings_.model.hidden /
                           static_cast<std::uint64_t>(settings_.sizes.tensor),
               .type = settings_.gradient_type,
               .over = Over::embedding,
               .tag = "embedding"});
  if (settings_.has_expert_bias) count_experts(pass);
  if (!settings_.counts_tokens) return;
  pass.call({.collective = Collective::broadcast,
             .elements = 1,
             .type = DataType::int32,
             .over = Over::pipeline,
             .root = settings_.sizes.pipeline - 1,
             .tag = "tokens"});
  pass.call({.elements = 1, .type = DataType::int32, .over = Over::data, .tag = "tokens"});
}

void StepEnd::count_experts(PassBuilder& pass) const {
  std::uint64_t layers = 0;
  for (const auto& chunk : parts_.chunks) {
    for (std::uint64_t layer = 0; layer < chunk.place.layers; ++layer)
      layers += settings_.model.has_experts(chunk.place.first_layer + layer) ? 1 : 0;
  }
  if (layers > 0)
    pass.call({.elements = layers * static_cast<std::uint64_t>(settings_.model.experts.count),
               .type = settings_.type,
               .over = Over::tensor_and_data,
               .tag = "expert bias"});
}

void StepEnd::check_reruns(PassBuilder& pass) const {
  if (settings_.checks_reruns) pass.call({.elements = 1, .type = DataType::int32, .over = Over::world, .tag = "rerun"});
}

void StepEnd::optimize(PassBuilder& pass) const {
  const auto over = settings_.shards_optimizer ? Over::whole_instance : Over::model;
  const auto over_experts = settings_.shards_optimizer ? over : Over::expert_model;
  const auto reduce_scalar = [&](Over ranks, ReduceOp op, const char* tag) {
    pass.call({.elements = 1, .type = DataType::float32, .over = ranks, .op = op, .tag = tag});
  };
  if (settings_.type == DataType::float16) {
    reduce_scalar(over, ReduceOp::max, "overflow");
    if (parts_.has_expert_buffers()) reduce_scalar(over_experts, ReduceOp::max, "overflow");
  }
  reduce_scalar(over, ReduceOp::sum, "norm");
  if (!settings_.shards_optimizer && parts_.has_expert_buffers()) reduce_scalar(over_experts, ReduceOp::sum, "norm");
  double elements = 0;
  for (const auto& chunk : parts_.chunks) {
    for (const auto& tensor : chunk.tensors)
      elements += static_cast<double>(tensor.elements) / settings_.optimizer_shards(tensor.is_expert);
  }
  pass.compute(0, adam_bytes(elements, settings_.clips_gradients), "adam");
  if (settings_.shards_optimizer && !settings_.overlaps_parameters) gather_all(pass);
}

/// With buffers for experts there are two optimizers, each of which gathers all weights.
void StepEnd::gather_all(PassBuilder& pass) const {
  for (int time = 0; time < (parts_.has_expert_buffers() ? 2 : 1); ++time) {
    for (int chunk = 0; chunk < settings_.sizes.chunks; ++chunk)
      parts_.for_buckets(chunk, [&](const auto&... of_bucket) { gather(pass, settings_, of_bucket...); });
  }
  for (const auto over : {Over::shards, Over::expert_shards}) pass.drain(over);
}

void StepEnd::report(PassBuilder& pass) const {
  const auto stat = [&](DataType type, ReduceOp op) {
    pass.call({.elements = 1, .type = type, .over = Over::model, .op = op, .tag = "norm"});
  };
  stat(DataType::int32, ReduceOp::min);
  stat(DataType::float32, ReduceOp::max);
  if (is_last_stage()) pass.call({.elements = 2, .type = DataType::float32, .over = Over::data, .tag = "loss"});
}

}  // namespace ringmark::replay::megatron
