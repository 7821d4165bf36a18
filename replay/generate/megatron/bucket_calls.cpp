#include "replay/generate/megatron/bucket_calls.hpp"

#include <algorithm>

namespace ringmark::replay::megatron {

void reduce(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
            std::optional<int> batch) {
  const auto op = settings.averages_in_collective ? ReduceOp::avg : ReduceOp::sum;
  if (!settings.shards_optimizer) {
    pass.call({.elements = bucket.elements,
               .type = settings.gradient_type,
               .over = buffer.is_of_experts ? Over::expert_data : Over::data,
               .op = op,
               .is_async = true,
               .tag = "bucket",
               .batch = batch});
    return;
  }
  pass.call({.collective = Collective::reduce_scatter,
             .elements = bucket.elements,
             .type = settings.gradient_type,
             .over = buffer.is_of_experts ? Over::expert_shards : Over::shards,
             .op = op,
             .is_async = true,
             .tag = "bucket",
             .batch = batch});
  if (settings.optimizer_instances == 1) return;
  pass.call({.elements = bucket.elements / static_cast<std::uint64_t>(settings.optimizer_shards(buffer.is_of_experts)),
             .type = settings.gradient_type,
             .over = buffer.is_of_experts ? Over::expert_instances : Over::instances,
             .op = op,
             .is_async = true,
             .tag = "shard"});
}

std::optional<int> gather(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
                          std::optional<int> batch) {
  return pass.call({.collective = Collective::all_gather,
                    .elements = bucket.elements,
                    .type = settings.type,
                    .over = buffer.is_of_experts ? Over::expert_shards : Over::shards,
                    .is_async = true,
                    .tag = "weights",
                    .batch = batch});
}

BucketCalls::BucketCalls(const Settings& settings, const Buffers& buffers, Sharing sharing, PassBuilder& pass)
    : settings_(settings), buffers_(buffers), sharing_(sharing), pass_(pass) {
  for (const auto& buffer : buffers.all) {
    auto& of_buffer = states_.emplace_back(buffer.buckets.size());
    for (std::size_t bucket = 0; bucket < of_buffer.size(); ++bucket)
      of_buffer[bucket].missing = buffer.buckets[bucket].tensors;
  }
}

void BucketCalls::need(const std::string& module) {
  if (!sharing_.gathers) return;
  const auto found = buffers_.of_module.find(module);
  if (found == buffers_.of_module.end()) return;
  for (const auto& [buffer, bucket] : found->second) {
    auto& state = states_[buffer][bucket];
    if (state.is_waited_for) continue;
    state.is_waited_for = true;
    if (buffers_.is_joint) {
      for (std::size_t each = 0; each < states_[buffer].size(); ++each) gather(buffer, each);
    } else {
      gather(buffer, bucket);
    }
    pass_.wait(state.gather);
    if (bucket > 0) gather(buffer, bucket - 1);
  }
}

void BucketCalls::gather(std::size_t buffer, std::size_t bucket) {
  auto& state = states_[buffer][bucket];
  if (state.is_gathered) return;
  state.is_gathered = true;
  const auto& of = buffers_.all[buffer];
  state.gather = megatron::gather(pass_, settings_, of, of.buckets[bucket], launch_of(buffer));
}

void BucketCalls::complete(const std::string& module) {
  if (!sharing_.reduces) return;
  const auto found = buffers_.of_module.find(module);
  if (found == buffers_.of_module.end()) return;
  for (const auto& [buffer, bucket] : found->second) {
    auto& states = states_[buffer];
    if (--states[bucket].missing > 0) continue;
    const auto& of = buffers_.all[buffer];
    if (!buffers_.is_joint) {
      reduce(pass_, settings_, of, of.buckets[bucket]);
      continue;
    }
    if (std::any_of(states.begin(), states.end(), [](const State& each) { return each.missing > 0; })) continue;
    for (const auto& each : of.buckets) reduce(pass_, settings_, of, each, launch_of(buffer));
  }
}

std::optional<int> BucketCalls::launch_of(std::size_t buffer) const {
  return buffers_.is_joint ? std::optional(static_cast<int>(buffer)) : std::nullopt;
}

}  // namespace ringmark::replay::megatron
