#include "replay/generate/megatron/arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/input/input.hpp"
#include "replay/generate/argument_list.hpp"
#include "replay/generate/megatron/argument_names.hpp"
#include "replay/generate/megatron/layer_pattern.hpp"

namespace ringmark::replay::megatron {
namespace {

class Reading {
 public:
  Reading(const std::string& text, int ranks) : list_(text) { settings_.ranks = ranks; }

  Arguments run(const std::string& file) {
    read_model();
    read_experts();
    read_sizes();
    read_batch();
    read_gradients();
    read_recompute();
    read_schedule();
    finish();
    for (const auto& name : list_.rest()) classify(name);
    if (!list_.problems().empty())
      throw BadUsage(fmt::format("{}: {}", file, fmt::join(list_.problems(), "\n" + file + ": ")));
    return {std::move(settings_), std::move(notes_)};
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 40;

  void need(const char* name) {
    if (!list_.has(name)) list_.problem(fmt::format("{} is missing", name));
  }

  void read_model() {
    auto& model = settings_.model;
    for (const char* name : {"--num-layers", "--hidden-size", "--num-attention-heads"}) need(name);
    list_.number("--num-layers", model.layers, std::uint64_t{1}, most);
    list_.number("--hidden-size", model.hidden, std::uint64_t{1}, most);
    list_.number("--num-attention-heads", model.heads, std::uint64_t{1}, most);
    model.head_width = model.hidden / model.heads;
    list_.number("--kv-channels", model.head_width, std::uint64_t{1}, most);
    model.key_heads = model.heads;
    std::optional<std::uint64_t> groups;
    list_.number("--num-query-groups", groups, std::uint64_t{1}, most);
    if (list_.flag("--group-query-attention")) model.key_heads = groups.value_or(1);
    model.is_gated = list_.flag("--swiglu");
    constexpr std::uint64_t gated_unit = 64;
    model.feed_forward = model.is_gated ? 4 * model.hidden * 2 / 3 / gated_unit * gated_unit : 4 * model.hidden;
    list_.number("--ffn-hidden-size", model.feed_forward, std::uint64_t{1}, most);
    list_.flag("--squared-relu");
    list_.choice("--optimizer", {"adam"}, 0);
    model.has_biases = !list_.flag("--disable-bias-linear");
    model.has_query_biases = model.has_biases || list_.flag("--add-qkv-bias");
    model.has_norm_biases = list_.choice("--normalization", {"LayerNorm", "RMSNorm"}, 0) == 0;
    model.has_head_norms = list_.flag("--qk-layernorm");
    if (list_.flag("--multi-latent-attention")) read_latent();
    model.is_tied = !list_.flag("--untie-embeddings-and-output-weights");
    const bool is_learned = list_.choice("--position-embedding-type", {"learned_absolute", "rope", "none"}, 0) == 0 &&
                            !list_.flag("--use-rotary-position-embeddings");
    std::uint64_t positions = 0;
    list_.number("--max-position-embeddings", positions, std::uint64_t{1}, most);
    model.positions = is_learned ? positions : 0;
  }

  void read_latent() {
    auto& latent = settings_.model.latent;
    latent = {.key_rank = 32, .plain_width = 128, .rotary_width = 64, .value_width = 128};  // Megatron's defaults
    list_.number("--q-lora-rank", latent.query_rank, std::uint64_t{1}, most);
    list_.number("--kv-lora-rank", latent.key_rank, std::uint64_t{1}, most);
    list_.number("--qk-head-dim", latent.plain_width, std::uint64_t{1}, most);
    list_.number("--qk-pos-emb-head-dim", latent.rotary_width, std::uint64_t{1}, most);
    list_.number("--v-head-dim", latent.value_width, std::uint64_t{1}, most);
    settings_.model.has_head_norms = false;  // latent attention includes norms of the narrow vectors instead
    notes_.emplace_back(
        "--multi-latent-attention: its calls with tensor parallelism have not been compared with recordings");
  }

  void read_experts() {
    auto& experts = settings_.model.experts;
    list_.number("--num-experts", experts.count, 1, 1 << 16);
    experts.of_token = 2;
    list_.number("--moe-router-topk", experts.of_token, 1, 1 << 16);
    experts.feed_forward = settings_.model.feed_forward;
    list_.number("--moe-ffn-hidden-size", experts.feed_forward, std::uint64_t{1}, most);
    list_.number("--moe-shared-expert-intermediate-size", experts.shared_feed_forward, std::uint64_t{1}, most);
    read_frequency(experts);
    constexpr std::array dispatchers{Dispatcher::all_gather, Dispatcher::all_to_all};
    settings_.dispatcher = dispatchers[list_.choice("--moe-token-dispatcher-type", {"allgather", "alltoall"}, 0)];
    const auto balancing =
        list_.choice("--moe-router-load-balancing-type", {"aux_loss", "global_aux_loss", "seq_aux_loss", "none"}, 0);
    double coefficient = 0;
    list_.number("--moe-aux-loss-coeff", coefficient, 0.0, 1e9);
    constexpr std::array kinds{Balancing::local, Balancing::global, Balancing::of_sequences, Balancing::none};
    if (experts.count > 0 && coefficient > 0) settings_.balancing = kinds[balancing];
    constexpr std::array router_types{DataType::float32, DataType::float64};
    const auto router_type = list_.choice("--moe-router-dtype", {"fp32", "fp64"}, router_types.size());
    if (router_type < router_types.size()) settings_.router_type = router_types[router_type];
    list_.number("--moe-expert-capacity-factor", settings_.capacity, 0.0, 1e6);
    settings_.pads_experts = list_.flag("--moe-pad-expert-input-to-capacity");
    settings_.has_expert_bias = list_.flag("--moe-router-enable-expert-bias");
    read_graphs();
  }

  /// Older versions have a switch for graphs of layers by Megatron or by Transformer Engine, newer ones the
  /// implementation and its scope.
  void read_graphs() {
    const bool by_megatron = list_.flag("--enable-cuda-graph"), by_engine = list_.flag("--external-cuda-graph");
    const bool is_implemented = list_.choice("--cuda-graph-impl", {"none", "local", "transformer_engine"}, 0) != 0;
    const auto scope = list_.words("--cuda-graph-scope");
    if (!by_megatron && !by_engine && !is_implemented) return;
    const bool is_whole = std::find(scope.begin(), scope.end(), "full_iteration") != scope.end();
    settings_.graphs = is_whole ? Graphs::steps : Graphs::layers;
  }

  /// A number, or a list of zeros and ones as Python writes it, such as ([0]*3+[1]*58): a one is a layer of experts.
  void read_frequency(Transformer::Experts& experts) {
    const auto words = list_.words("--moe-layer-freq");
    if (words.empty()) return;
    const auto text = fmt::format("{}", fmt::join(words, ""));
    if (read_number(text, 1, 1 << 16, experts.every)) return;
    if (const auto pattern = read_layer_pattern(text)) {
      experts.of_layers = *pattern;
    } else {
      list_.problem(fmt::format("--moe-layer-freq {}: give a number, or a list such as ([0]*3+[1]*58)", text));
    }
  }

  void read_sizes() {
    auto& sizes = settings_.sizes;
    list_.number("--tensor-model-parallel-size", sizes.tensor, 1, 1 << 16);
    list_.number("--pipeline-model-parallel-size", sizes.pipeline, 1, 1 << 16);
    list_.number("--context-parallel-size", sizes.context, 1, 1 << 16);
    list_.number("--expert-model-parallel-size", sizes.expert, 1, 1 << 16);
    list_.number("--expert-tensor-parallel-size", sizes.expert_tensor, 1, 1 << 16);
    sizes.shards_sequence = list_.flag("--sequence-parallel") && sizes.tensor > 1;
    list_.number("--num-virtual-stages-per-pipeline-rank", sizes.chunks, 1, 1 << 16);
    std::optional<std::uint64_t> layers_of_chunk;
    list_.number("--num-layers-per-virtual-pipeline-stage", layers_of_chunk, std::uint64_t{1}, most);
    if (layers_of_chunk) {
      const auto layers_of_stage = settings_.model.layers / static_cast<std::uint64_t>(sizes.pipeline);
      sizes.chunks = static_cast<int>(std::clamp<std::uint64_t>(layers_of_stage / *layers_of_chunk, 1, 1 << 16));
    }
    constexpr std::array exchanges{ContextExchange::ring, ContextExchange::all_gather, ContextExchange::all_to_all};
    settings_.context_exchange = exchanges[list_.choice("--cp-comm-type", {"p2p", "all_gather", "a2a"}, 0)];
    settings_.has_data_last = list_.flag("--use-tp-pp-dp-mapping");
  }

  void read_batch() {
    need("--micro-batch-size");
    need("--seq-length");
    list_.number("--micro-batch-size", settings_.micro_batch, std::uint64_t{1}, most);
    list_.number("--seq-length", settings_.sequence, std::uint64_t{1}, most);
    std::optional<std::uint64_t> global;
    list_.number("--global-batch-size", global, std::uint64_t{1}, most);
    settings_.global_batch =
        global.value_or(settings_.micro_batch * static_cast<std::uint64_t>(settings_.data_parallel()));
    const bool is_bf16 = list_.flag("--bf16"), is_fp16 = list_.flag("--fp16");
    settings_.type = is_bf16 ? DataType::bfloat16 : is_fp16 ? DataType::float16 : DataType::float32;
  }

  void read_gradients() {
    settings_.shards_optimizer = list_.flag("--use-distributed-optimizer");
    settings_.overlaps_gradients = list_.flag("--overlap-grad-reduce");
    settings_.overlaps_parameters = list_.flag("--overlap-param-gather");
    if (settings_.overlaps_parameters && !settings_.shards_optimizer)
      list_.problem("--overlap-param-gather needs --use-distributed-optimizer");
    list_.number("--num-distributed-optimizer-instances", settings_.optimizer_instances, 1, 1 << 16);
    list_.number("--ddp-bucket-size", settings_.bucket, std::uint64_t{1}, most);
    list_.number("--ddp-num-buckets", settings_.buckets, 1, 1 << 16);
    const bool reduces_in_bf16 = list_.flag("--grad-reduce-in-bf16");
    const bool has_wide_gradients = list_.flag("--accumulate-allreduce-grads-in-fp32");
    const bool is_narrow = settings_.type == DataType::bfloat16 ? reduces_in_bf16 : !has_wide_gradients;
    settings_.gradient_type = is_narrow ? settings_.type : DataType::float32;
    settings_.pads_buckets = list_.flag("--ddp-pad-buckets-for-high-nccl-busbw");
    settings_.averages_in_collective = list_.flag("--ddp-average-in-collective");
    settings_.counts_tokens = list_.flag("--calculate-per-token-loss");
    for (const char* name : {"--main-grads-dtype", "--main-params-dtype", "--exp-avg-dtype", "--exp-avg-sq-dtype"})
      list_.choice(name, {"fp32"}, 0);
    double norm = 1;
    list_.number("--clip-grad", norm, 0.0, 1e9);
    settings_.clips_gradients = norm > 0;
    settings_.checks_reruns = list_.choice("--rerun-mode", {"validate_results", "report_stats", "disabled"}, 0) != 2;
  }

  void read_recompute() {
    const auto kind = list_.choice("--recompute-granularity", {"full", "selective"}, 2);
    const bool is_selective = list_.flag("--recompute-activations");
    if (kind == 0) settings_.recompute.kind = Recompute::Kind::full;
    if (kind == 1 || is_selective) settings_.recompute.kind = Recompute::Kind::selective;
    settings_.recomputes_uniformly = list_.choice("--recompute-method", {"uniform", "block"}, 0) == 0;
    list_.number("--recompute-num-layers", settings_.recompute_group, 1, 1 << 16);
    if (!settings_.recomputes_uniformly)
      settings_.recompute.first_layers = static_cast<std::uint64_t>(settings_.recompute_group);
    read_modules();
    settings_.distributes_activations = list_.flag("--distribute-saved-activations");
  }

  /// Reads which modules selective recomputation covers; by default core attention.
  void read_modules() {
    const auto modules = list_.words("--recompute-modules");
    settings_.recomputes_attention =
        modules.empty() || std::find(modules.begin(), modules.end(), "core_attn") != modules.end();
    for (const auto& module : modules) {
      if (module == "mlp") {
        settings_.recomputes_mlp = true;
      } else if (module == "moe") {
        settings_.recomputes_experts = true;
      } else if (module == "shared_experts") {
        settings_.recomputes_shared_experts = true;
      } else if (module != "core_attn" && module != "layernorm" && module != "moe_act") {
        list_.problem(
            fmt::format("--recompute-modules {}: is not modelled; give core_attn, layernorm, mlp, moe, moe_act or "
                        "shared_experts",
                        module));
      }
    }
  }

  void read_schedule() {
    list_.number("--microbatch-group-size-per-virtual-pipeline-stage", settings_.group_of_micro_batches, 1, 1 << 20);
    settings_.overlaps_messages = !list_.flag("--no-overlap-p2p-communication");
    settings_.counts_embedding_as_layer = list_.flag("--account-for-embedding-in-pipeline-split");
    settings_.counts_loss_as_layer = list_.flag("--account-for-loss-in-pipeline-split");
    settings_.aligns_gathers = !list_.flag("--no-align-param-gather");
    settings_.aligns_reductions = !list_.flag("--no-align-grad-reduce");
    list_.number("--decoder-first-pipeline-num-layers", settings_.first_layers, std::uint64_t{1}, most);
    list_.number("--decoder-last-pipeline-num-layers", settings_.last_layers, std::uint64_t{1}, most);
  }

  void finish() {
    std::uint64_t vocabulary = 0, unit = usual_vocabulary_unit;
    settings_.fuses_loss = list_.flag("--cross-entropy-loss-fusion");
    const bool adds_end = list_.word("--tokenizer-type").value_or("") == "NullTokenizer";
    if (!list_.has("--vocab-size") && !list_.has("--padded-vocab-size"))
      list_.problem("--vocab-size is missing; it determines the size of the embedding");
    list_.number("--vocab-size", vocabulary, std::uint64_t{1}, most);
    list_.number("--make-vocab-size-divisible-by", unit, std::uint64_t{1}, most);
    settings_.model.vocabulary = padded_vocabulary(vocabulary + (adds_end ? 1 : 0), settings_.sizes, unit);
    list_.number("--padded-vocab-size", settings_.model.vocabulary, std::uint64_t{1}, most);
    settings_.has_float8 = list_.has("--fp8-format");
    settings_.overlaps_tensor_calls = list_.flag("--tp-comm-overlap") && settings_.sizes.shards_sequence;
    for (const char* name : {"--fp8-format", "--fp8-recipe", "--fp8-amax-history-len", "--fp8-amax-compute-algo"})
      list_.take(name);
    if (settings_.has_float8)
      notes_.emplace_back(
          "--fp8-format: amax reductions are left out; give --product-dtype fp8 for the time of products in FP8");
  }

  void classify(const std::string& name) {
    switch (kind_of_argument(name)) {
      case ArgumentKind::harmless:
        return;
      case ArgumentKind::refused:
        return list_.problem(fmt::format("{} changes the step in a way that is not modelled", name));
      case ArgumentKind::unknown: {
        const auto meant = list_.meant(name);
        notes_.push_back(fmt::format("{} is unknown{}: if it changes the step, this prediction is wrong", name,
                                     meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)));
      }
    }
  }

  ArgumentList list_;
  Settings settings_;
  std::vector<std::string> notes_;
};

}  // namespace

Arguments read_arguments(const std::string& file, const std::string& text, int ranks) {
  return Reading(text, ranks).run(file);
}

Arguments read_arguments(const std::string& file, int ranks) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20U;
  return read_arguments(file, whole_text(file, file, most_bytes), ranks);
}

}  // namespace ringmark::replay::megatron
