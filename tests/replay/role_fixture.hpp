// Small steps with roles, as Megatron-core plays them.
#pragma once

#include <string>

#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/megatron/step.hpp"

namespace ringmark::testing_support {

/// A small model, with further arguments of Megatron-LM.
inline replay::RoleTrace small_roles(const std::string& arguments, int ranks) {
  const std::string model =
      "--num-layers 8 --hidden-size 64 --num-attention-heads 4 --vocab-size 500 --seq-length 64 --micro-batch-size 1 "
      "--bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather ";
  return replay::megatron::generate(replay::megatron::read_arguments("args", model + arguments, ranks).settings);
}

inline const std::string tensors_and_pipeline =
    "--global-batch-size 8 --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 2";
inline const std::string interleaved_on_two =
    "--global-batch-size 8 --pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2";
inline const std::string interleaved_on_four =
    "--global-batch-size 8 --pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2";
inline const std::string experts =
    "--global-batch-size 8 --num-experts 4 --expert-model-parallel-size 4 --moe-token-dispatcher-type alltoall";

}  // namespace ringmark::testing_support
