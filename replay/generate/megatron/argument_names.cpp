#include "replay/generate/megatron/argument_names.hpp"

namespace ringmark::replay::megatron {
namespace {

constexpr std::string_view refused =
    "--create-all-gather-group --ddp-reduce-scatter-with-fp32-accumulation --decoder-num-layers "
    "--defer-embedding-wgrad-compute --delay-wgrad-compute --encoder-num-layers --experimental-attention-variant "
    "--fp16-lm-cross-entropy --fp4-format --fp4-param-gather --fp8-param-gather --freeze-all-layers "
    "--heterogeneous-layers-config-encoded-json --heterogeneous-layers-config-path "
    "--hierarchical-context-parallel-sizes --hybrid-layer-pattern --hybrid-override-pattern --is-hybrid-model "
    "--linear-attention-freq --linear-attention-type --moe-enable-deepep --moe-shared-expert-overlap --mtp-num-layers "
    "--num-experts-per-layer --num-layers-at-start-in-bf16 --optimizer-cpu-offload --overlap-moe-expert-parallel-comm "
    "--overlap-p2p-communication-warmup-flush --overlap-param-gather-with-optimizer-step "
    "--pipeline-model-parallel-layout --qk-clip --reuse-grad-buf-for-mxfp8-param-ag --spec --untie-embeddings-after "
    "--use-custom-fsdp --use-legacy-models --use-megatron-fsdp --use-precision-aware-optimizer --use-torch-fsdp2 "
    "--yaml-cfg";

constexpr std::string_view harmless =
    "--adam-beta1 --adam-beta2 --adam-eps --apply-layernorm-1p --async-save --attention-backend --attention-dropout "
    "--attention-softmax-in-fp32 --auto-detect-ckpt-format --check-for-nan-in-loss-and-grad --ckpt-format "
    "--create-attention-mask-in-dataloader --cross-entropy-fusion-impl --cuda-graph-retain-backward-graph "
    "--cuda-graph-share-io-buffers --cuda-graph-use-single-mempool --cuda-graph-warmup-steps --data-args-path "
    "--data-cache-path --data-path "
    "--dataloader-type --disable-gloo-process-groups --disable-jit-fuser --distributed-backend "
    "--distributed-timeout-minutes --empty-unused-memory-level --enable-gloo-process-groups --eod-mask-loss "
    "--eval-interval --eval-iters --exit-duration-in-mins --exit-interval --fake-process-group --hidden-dropout "
    "--hysteresis --init-method-std --initial-loss-scale --lazy-mpu-init --load --local-rank --log-interval "
    "--log-memory-to-tensorboard --log-params-norm --log-progress --log-throughput --log-timers-to-tensorboard "
    "--loss-scale --loss-scale-window --lr --lr-decay-iters --lr-decay-samples --lr-decay-style --lr-warmup-fraction "
    "--lr-warmup-iters --lr-warmup-samples --manual-gc --manual-gc-interval --merge-file --min-loss-scale --min-lr "
    "--mock-data --moe-grouped-gemm --moe-input-jitter-eps --moe-permute-fusion --moe-router-bias-update-rate "
    "--moe-router-group-topk --moe-router-num-groups --moe-router-pre-softmax --moe-router-score-function "
    "--moe-router-topk-scaling-factor --moe-token-drop-policy --moe-z-loss-coeff --no-bias-dropout-fusion "
    "--no-bias-gelu-fusion --no-bias-swiglu-fusion --no-check-for-nan-in-loss-and-grad "
    "--no-create-attention-mask-in-dataloader --no-gradient-accumulation-fusion --no-initialization --no-load-optim "
    "--no-load-rng --no-masked-softmax-fusion --no-persist-layer-norm --no-rope-fusion --no-save-optim --no-save-rng "
    "--no-use-tokenizer-model-from-checkpoint-args --norm-epsilon --num-dataset-builder-threads --num-workers "
    "--override-opt_param-scheduler --per-split-data-args-path --perform-initialization --profile --profile-ranks "
    "--profile-step-end --profile-step-start --qk-layernorm-eps --reset-attention-mask --reset-position-ids "
    "--rotary-base --rotary-percent --rotary-seq-len-interpolation-factor --save --save-interval --seed --split "
    "--te-rng-tracker --tensorboard-dir --test-data-path --timing-log-level --timing-log-option --tokenizer-model "
    "--train-data-path "
    "--train-iters --train-samples --transformer-impl --use-checkpoint-args --use-cpu-initialization --use-dist-ckpt "
    "--use-flash-attn --use-mcore-models --use-pytorch-profiler --use-rope-scaling --valid-data-path --vocab-file "
    "--wandb-exp-name --wandb-project --wandb-save-dir --weight-decay";

/// Names are separated by a space.
bool has(std::string_view names, std::string_view name) {
  for (auto at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

ArgumentKind kind_of_argument(std::string_view name) {
  if (has(refused, name)) return ArgumentKind::refused;
  return has(harmless, name) ? ArgumentKind::harmless : ArgumentKind::unknown;
}

}  // namespace ringmark::replay::megatron
