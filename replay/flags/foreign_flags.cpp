#include "replay/flags/foreign_flags.hpp"

#include <algorithm>

namespace ringmark::replay {
namespace {

constexpr std::string_view tensor = "give --tp and --sp";
constexpr std::string_view pipeline = "give --pp and --vp";
constexpr std::string_view context = "give --cp";
constexpr std::string_view experts = "give --ep and --etp, with a model that has experts";
constexpr std::string_view layout = "give --megatron-args, a file with Megatron-LM's arguments";
constexpr std::string_view model = "it is part of the model: give --model a config.json or a model description";
constexpr std::string_view recompute = "give --recompute, which recomputes whole layers";
constexpr std::string_view recompute_core = "give --recompute selective, which recomputes core attention";
constexpr std::string_view batch =
    "give --micro-batch and --grad-accum: their product with --ranks is the number of samples in a step";
constexpr std::string_view fp8 = "give --product-dtype fp8 to run or predict";
constexpr std::string_view overlap = "give --framework megatron and --overlap";

constexpr ForeignFlags all_flags[] = {
    {"other programs", "--tp-size --tensor-parallel-size", tensor},
    {"other programs", "--pp-size --pipeline-parallel-size --vpp", pipeline},
    {"other programs", "--cp-size", context},
    {"other programs", "--ep-size --expert-parallel-size", experts},
    {"other programs", "--dp --dp-size --data-parallel-size --world-size --nproc-per-node --nproc_per_node",
     "give --ranks, and --ranks-per-node"},

    {"Megatron-LM", "--virtual-pipeline-model-parallel-size --num-layers-per-virtual-pipeline-stage", pipeline},
    {"Megatron-LM",
     "--tp-comm-overlap --decoder-first-pipeline-num-layers --decoder-last-pipeline-num-layers "
     "--pipeline-model-parallel-layout "
     "--overlap-p2p-communication --cp-comm-type --hierarchical-context-parallel-sizes --num-experts "
     "--moe-router-topk --moe-grouped-gemm --moe-ffn-hidden-size",
     layout},
    {"Megatron-LM", "--micro-batch-size", "give --micro-batch"},
    {"Megatron-LM", "--rampup-batch-size", batch},
    {"Megatron-LM", "--seq-length --encoder-seq-length --decoder-seq-length", "give --sequence"},
    {"Megatron-LM",
     "--num-layers --hidden-size --ffn-hidden-size --num-attention-heads --group-query-attention --num-query-groups "
     "--kv-channels --max-position-embeddings --vocab-size --make-vocab-size-divisible-by --swiglu --normalization "
     "--position-embedding-type --disable-bias-linear --add-qkv-bias --untie-embeddings-and-output-weights "
     "--qk-layernorm --window-size",
     model},
    {"Megatron-LM", "--use-distributed-optimizer", "give --framework megatron, which always uses it"},
    {"Megatron-LM", "--overlap-grad-reduce --overlap-param-gather", overlap},
    {"Megatron-LM", "--num-distributed-optimizer-instances", layout},
    {"Megatron-LM", "--ddp-bucket-size", "give --reduce-bucket"},
    {"Megatron-LM", "--ddp-num-buckets", "give --reduce-bucket, the number of elements in a bucket"},
    {"Megatron-LM", "--use-torch-fsdp2 --use-megatron-fsdp --use-custom-fsdp --data-parallel-sharding-strategy",
     "give --framework pytorch-fsdp2; Megatron's own FSDP is not modelled"},
    {"Megatron-LM", "--bf16", "give --dtype bf16"},
    {"Megatron-LM", "--fp16", "give --dtype fp16"},
    {"Megatron-LM", "--accumulate-allreduce-grads-in-fp32", "give --reduce-dtype fp32"},
    {"Megatron-LM", "--grad-reduce-in-bf16", "give --reduce-dtype bf16"},
    {"Megatron-LM", "--fp8-format --fp8-recipe --fp8-hybrid --fp8-param-gather", fp8},
    {"Megatron-LM", "--recompute-granularity", "give --recompute selective or --recompute full"},
    {"Megatron-LM", "--recompute-activations", recompute_core},
    {"Megatron-LM", "--recompute-modules",
     "give --recompute selective for core_attn; for other modules --megatron-args"},
    {"Megatron-LM", "--recompute-method --recompute-num-layers",
     "give --recompute block:N for the first N layers; uniform, which keeps every Nth layer's input, is not modelled "
     "beyond --recompute full"},
    {"Megatron-LM", "--checkpoint-activations", recompute},
    {"Megatron-LM", "--transformer-impl --use-flash-attn --attention-backend --cross-entropy-loss-fusion",
     "give --software"},
    {"Megatron-LM",
     "--train-iters --train-samples --lr --min-lr --lr-decay-style --lr-decay-iters --lr-warmup-iters --weight-decay "
     "--adam-beta1 --adam-beta2 --init-method-std --tokenizer-type --tokenizer-model --data-path --split --save --load "
     "--save-interval --eval-interval --eval-iters --log-interval --mock-data --distributed-backend",
     "it does not affect the step; leave it out"},

    {"torchtitan",
     "--parallelism.tensor_parallel_degree --parallelism.expert_tensor_parallel_degree "
     "--parallelism.enable_async_tensor_parallel --training.tensor_parallel_degree",
     tensor},
    {"torchtitan",
     "--parallelism.pipeline_parallel_degree --parallelism.pipeline_parallel_schedule "
     "--parallelism.pipeline_parallel_microbatch_size --parallelism.pipeline_parallel_layers_per_stage "
     "--experimental.pipeline_parallel_degree --training.pipeline_parallel_degree",
     pipeline},
    {"torchtitan", "--parallelism.context_parallel_degree --experimental.context_parallel_degree", context},
    {"torchtitan", "--parallelism.expert_parallel_degree", experts},
    {"torchtitan", "--parallelism.data_parallel_shard_degree --training.data_parallel_shard_degree",
     "give --framework pytorch-fsdp2 and --shard-degree"},
    {"torchtitan", "--parallelism.data_parallel_replicate_degree --training.data_parallel_replicate_degree",
     "give --framework pytorch-fsdp2 and --shard-degree, the number of ranks divided by the number of copies"},
    {"torchtitan", "--parallelism.fsdp_reshard_after_forward",
     "give --framework pytorch-fsdp2 and --reshard-after-forward"},
    {"torchtitan", "--training.seq_len", "give --sequence"},
    {"torchtitan", "--training.local_batch_size --training.batch_size", "give --micro-batch"},
    {"torchtitan", "--training.global_batch_size", batch},
    {"torchtitan", "--training.gradient_accumulation_steps", "give --grad-accum"},
    {"torchtitan", "--training.max_norm", "give --clip-grad"},
    {"torchtitan", "--training.dtype --training.mixed_precision_param", "give --dtype"},
    {"torchtitan", "--training.mixed_precision_reduce", "give --reduce-dtype"},
    {"torchtitan", "--activation_checkpoint.mode --activation_checkpoint.selective_ac_option",
     "give --recompute for mode full; mode selective, which keeps products and attention, is not modelled"},
    {"torchtitan", "--model.name --model.flavor --model.hf_assets_path", "give --model"},
    {"torchtitan", "--compile.enable --training.compile", "give --software compiled"},
    {"torchtitan", "--quantize.linear.float8.enable_fsdp_float8_all_gather --float8.enable_fsdp_float8_all_gather",
     "gathers in FP8 are not modelled; --product-dtype fp8 is for products"},

    {"Hugging Face's Trainer", "--per_device_train_batch_size", "give --micro-batch"},
    {"Hugging Face's Trainer", "--gradient_accumulation_steps", "give --grad-accum"},
    {"Hugging Face's Trainer", "--gradient_checkpointing", recompute},
    {"Hugging Face's Trainer", "--model_name_or_path", "give --model the path of its config.json"},
    {"Hugging Face's Trainer", "--max_seq_length --model_max_length --block_size", "give --sequence"},
    {"Hugging Face's Trainer", "--max_grad_norm", "give --clip-grad"},
    {"Hugging Face's Trainer", "--fsdp --fsdp_config", "give --framework pytorch-fsdp or pytorch-fsdp2"},
    {"DeepSpeed", "--deepspeed --deepspeed_config", "give --ds-config"},
};

}  // namespace

std::span<const ForeignFlags> foreign_flags() { return all_flags; }

void hint_at_foreign_flags(Flags& flags) {
  for (const auto& each : foreign_flags()) {
    std::map<std::string, std::string> meanings;
    for (auto name : split_at(each.names, ' ')) {
      meanings.emplace(name, each.remedy);
      // torchtitan takes both spellings.
      if (name.find('.') == std::string::npos) continue;
      std::replace(name.begin(), name.end(), '_', '-');
      meanings.emplace(name, each.remedy);
    }
    flags.hints(std::string(each.program), meanings);
  }
}

}  // namespace ringmark::replay
