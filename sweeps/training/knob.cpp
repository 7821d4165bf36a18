#include "sweeps/training/knob.hpp"

#include <algorithm>

namespace ringmark::sweep {
namespace {

using Kind = replay::Framework::Kind;

const std::vector<std::string> truth{"true", "false"};

const std::vector<Knob>& knobs() {
  static const std::vector<Knob> all{
      {"stage", Part::strategy, {Kind::deepspeed}, "/zero_optimization/stage", "zero", {"0", "1", "2", "3"}},
      {"sharding-strategy",
       Part::strategy,
       {Kind::pytorch_fsdp},
       "",
       "sharding-strategy",
       {"FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2", "NO_SHARD"}},
      {"reshard-after-forward", Part::strategy, {Kind::pytorch_fsdp2}, "", "reshard-after-forward", truth},
      {"recompute", Part::strategy, {}, "", "recompute", {"no", "full"}},
      {"overlap_comm", Part::framework, {Kind::deepspeed}, "/zero_optimization/overlap_comm", "", truth},
      {"reduce_bucket_size",
       Part::framework,
       {Kind::deepspeed},
       "/zero_optimization/reduce_bucket_size",
       "reduce-bucket",
       {"5000000", "50000000", "500000000"}},
      {"contiguous_gradients",
       Part::framework,
       {Kind::deepspeed},
       "/zero_optimization/contiguous_gradients",
       "",
       truth},
      {"reduce_scatter", Part::framework, {Kind::deepspeed}, "/zero_optimization/reduce_scatter", "", truth},
      {"use_multi_rank_bucket_allreduce",
       Part::framework,
       {Kind::deepspeed},
       "/zero_optimization/use_multi_rank_bucket_allreduce",
       "",
       truth},
      {"stage3_prefetch_bucket_size",
       Part::framework,
       {Kind::deepspeed},
       "/zero_optimization/stage3_prefetch_bucket_size",
       "",
       {"0", "50000000", "500000000"}},
      {"stage3_param_persistence_threshold",
       Part::framework,
       {Kind::deepspeed},
       "/zero_optimization/stage3_param_persistence_threshold",
       "",
       {"100000", "1000000"}},
      {"gradients", Part::framework, {Kind::deepspeed}, "", "gradients", {}, true},
      {"bucket-cap-mb", Part::framework, {Kind::pytorch_ddp}, "", "bucket-cap-mb", {"5", "25", "100"}},
      {"backward-prefetch",
       Part::framework,
       {Kind::pytorch_fsdp},
       "",
       "backward-prefetch",
       {"BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"}},
      {"forward-prefetch", Part::framework, {Kind::pytorch_fsdp}, "", "forward-prefetch", truth},
  };
  return all;
}

}  // namespace

std::span<const Knob> all_knobs() { return knobs(); }

bool has(const Knob& knob, Kind framework) {
  return knob.frameworks.empty() ||
         std::find(knob.frameworks.begin(), knob.frameworks.end(), framework) != knob.frameworks.end();
}

}  // namespace ringmark::sweep
