#include "replay/predict/parallel_steps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "replay/predict/table_row.hpp"

namespace ringmark::replay {
namespace {

/// Why a row cannot be predicted.
struct Refusal {
  std::string reason;
};

/// NCCL's usual startup time of a message between nodes and within one, in microseconds.
constexpr double usual_between_us = 10, usual_within_us = 5;

class ParallelRow : TableRow {
 public:
  using TableRow::TableRow;

  PublishedStep step() const {
    PublishedStep step;
    step.id = text("id");
    step.family = text("source");
    step.step_s = number("step_s", 1e-9, 1e9);
    try {
      fill(step);
    } catch (const Refusal& refusal) {
      step.refused = refusal.reason;
    }
    return step;
  }

 private:
  void fill(PublishedStep& step) const {
    if (const auto missing = text("missing"); !missing.empty())
      throw Refusal{fmt::format("the table lacks: {}", missing)};
    step.device = device_named(text("gpu"), 0);
    if (step.device.empty()) throw Refusal{fmt::format("{}: no shipped device matches this GPU", text("gpu"))};
    set_links(step);
    const auto precision = text("precision");
    if (precision != "fp16" && precision != "bf16" && precision != "fp8")
      throw Refusal{fmt::format("products in {} are not modelled", precision)};
    if (precision == "fp8") step.products = ProductType::float8;
    const auto take = [&](const auto& settings) {
      try {
        check(settings);
      } catch (const BadUsage& error) {
        throw Refusal{error.what()};
      }
      step.step = settings;
    };
    if (software_has("torchtitan")) {
      step.software = software_has("compile") ? Software::Kind::compiled : usual_software;
      take(torchtitan_settings());
    } else {
      step.software = software();
      take(megatron_settings());
    }
  }

  /// From the table's notes, such as "tokens beyond capacity are dropped".
  bool drops_tokens() const {
    return text("notes").find("tokens") != std::string::npos && text("notes").find("dropped") != std::string::npos;
  }

  bool software_has(const char* word) const { return text("software").find(word) != std::string::npos; }

  Software::Kind software() const {
    if (software_has("Megatron-DeepSpeed")) return Software::Kind::unfused;
    for (const char* word : {"Megatron", "NeMo", "NEMO", "FlagScale", "Nemo"}) {
      if (software_has(word)) return Software::Kind::megatron_core;
    }
    throw Refusal{fmt::format("{}: this software is not modelled", text("software"))};
  }

  DataType type() const { return text("precision") == "fp16" ? DataType::float16 : DataType::bfloat16; }

  /// "q_lora 1536, kv_lora 512, qk_nope 128, qk_rope 64, v 128".
  void set_latent(Transformer::Latent& latent) const {
    const auto cell = text("mla");
    if (cell.empty()) return;
    const std::map<std::string, std::uint64_t*> parts{{"q_lora", &latent.query_rank},
                                                      {"kv_lora", &latent.key_rank},
                                                      {"qk_nope", &latent.plain_width},
                                                      {"qk_rope", &latent.rotary_width},
                                                      {"v", &latent.value_width}};
    std::istringstream in(cell);
    for (std::string part; std::getline(in, part, ',');) {
      std::istringstream words(part);
      std::string name, value;
      words >> name >> value;
      const auto found = parts.find(name);
      if (found == parts.end() || !read_number(value, std::uint64_t{0}, std::uint64_t{1} << 24U, *found->second))
        refuse("mla", "expected q_lora N, kv_lora N, qk_nope N, qk_rope N, v N");
    }
  }

  Transformer transformer() const {
    Transformer model;
    const auto type = text("model_type");
    set_latent(model.latent);
    if (!text("mtp_layers").empty() && text("mtp_layers") != "0")
      throw Refusal{"multi-token prediction is not modelled"};
    if (type == "gpt_oss") throw Refusal{"sliding-window attention is not modelled in steps with roles"};
    model.name = text("model").empty() ? type : text("model");
    model.layers = count("layers");
    model.hidden = count("hidden");
    model.heads = count("heads");
    model.key_heads = count("kv_heads", model.heads);
    model.head_width = count("head_dim", std::max<std::uint64_t>(1, model.hidden / model.heads));
    model.feed_forward = count("ffn", 4 * model.hidden);
    model.is_gated = truth("gated", true);
    const bool is_gpt = type == "gpt2";
    model.has_biases = model.has_query_biases = is_gpt;
    model.has_norm_biases = is_gpt;
    model.has_head_norms = type.starts_with("qwen3");
    model.is_tied = truth("tied", false);
    model.vocabulary = count("vocabulary");
    model.positions = is_gpt ? count("sequence") : 0;
    auto& experts = model.experts;
    experts.count = number<int>("experts", 0, 1 << 16, 0);
    if (experts.count == 0) return model;
    experts.of_token = number<int>("experts_per_token", 1, 1 << 16);
    experts.feed_forward = count("expert_ffn", model.feed_forward);
    experts.shared_feed_forward = number<std::uint64_t>("shared_expert_ffn", 0, std::uint64_t{1} << 40, 0);
    experts.dense_layers = number<int>("dense_layers", 0, 1 << 16, 0);
    experts.every = number<int>("moe_every", 1, 1 << 16, 1);
    if (experts.every > 1) experts.dense_layers = experts.every - 1;
    return model;
  }

  int size(const char* column, int least = 1) const { return number<int>(column, least, most_ranks, least); }

  megatron::Settings megatron_settings() const {
    megatron::Settings settings;
    settings.model = transformer();
    set_sizes(settings);
    settings.model.vocabulary = megatron::padded_vocabulary(settings.model.vocabulary, settings.sizes);
    set_training(settings);
    settings.recompute = recompute();
    settings.recomputes_uniformly = settings.recompute.first_layers == 0;
    return settings;
  }

  void set_sizes(megatron::Settings& settings) const {
    auto& sizes = settings.sizes;
    settings.ranks = number<int>("gpus", 1, most_ranks);
    sizes.tensor = size("tp");
    sizes.pipeline = size("pp");
    sizes.chunks = sizes.pipeline > 1 ? size("vp") : 1;
    sizes.context = size("cp");
    sizes.expert = size("ep");
    sizes.expert_tensor = size("etp", 0);
    sizes.shards_sequence = truth("sp", false) && sizes.tensor > 1;
    settings.allows_uneven_chunks = true;  // the table rarely states how the layers are split
    const auto layout = text("pp_layout");
    settings.counts_embedding_as_layer = settings.counts_loss_as_layer = layout == "embedding and loss count as layers";
    if (!layout.empty() && !settings.counts_loss_as_layer) throw Refusal{"pp_layout: " + layout + " is not modelled"};
  }

  void set_training(megatron::Settings& settings) const {
    settings.micro_batch = count("micro_batch");
    settings.global_batch = count("global_batch");
    settings.sequence = count("sequence");
    settings.type = type();
    settings.has_float8 = text("precision") == "fp8";
    const auto sharding = text("sharding");
    if (sharding != "none" && sharding != "distributed_optimizer")
      throw Refusal{fmt::format("sharding by {} is not modelled together with other parallelism", sharding)};
    settings.shards_optimizer = sharding == "distributed_optimizer";
    settings.overlaps_gradients = truth("overlap_grad_reduce", settings.shards_optimizer);
    settings.overlaps_parameters = settings.shards_optimizer && truth("overlap_param_gather", true);
    settings.overlaps_tensor_calls = truth("tp_comm_overlap", false) && settings.sizes.shards_sequence;
    // Megatron-DeepSpeed reduces in the model's type; recipes of NeMo and Bridge reduce in bfloat16.
    settings.gradient_type = settings.type;
    settings.dispatcher =
        text("moe_dispatcher") == "allgather" ? megatron::Dispatcher::all_gather : megatron::Dispatcher::all_to_all;
    const auto graph = text("cuda_graph");
    settings.graphs = graph == "full"    ? megatron::Graphs::steps
                      : graph == "layer" ? megatron::Graphs::layers
                                         : megatron::Graphs::none;
    settings.pads_experts = drops_tokens();
    settings.capacity = settings.pads_experts ? 1 : 0;
    if (!text("offload_layers").empty()) throw Refusal{"activations that are offloaded to the host are not modelled"};
  }

  torchtitan::Settings torchtitan_settings() const {
    const torchtitan::Sizes sizes{.tensor = size("tp"),
                                  .pipeline = size("pp"),
                                  .context = size("cp"),
                                  .expert = size("ep"),
                                  .shards_sequence = truth("sp", true)};
    if (text("sharding") != "fsdp")
      throw Refusal{fmt::format("sharding by {} is not modelled for torchtitan", text("sharding"))};
    StepSettings common;
    common.ranks = number<int>("gpus", 1, most_ranks);
    common.sequence = count("sequence");
    common.micro_batch = count("micro_batch");
    common.type = type();
    common.recompute = recompute();
    if (common.recompute.first_layers > 0)
      throw Refusal{fmt::format("recompute: {} is not modelled for torchtitan", text("recompute"))};
    const int chunks = sizes.pipeline > 1 ? size("vp") : 1;
    auto settings = torchtitan::usual_settings(transformer(), sizes, chunks, count("global_batch"), common);
    if (settings.stages_of_rank() != chunks)
      throw Refusal{"vp: torchtitan splits the layers into fewer stages of equal size"};
    return settings;
  }

  Recompute recompute() const {
    const auto cell = text("recompute");
    if (cell.empty()) return {};
    const auto recompute = parse_recompute(cell == "selective:core_attn" ? "selective" : cell);
    if (!recompute) throw Refusal{fmt::format("recompute: {} is not modelled", cell)};
    return *recompute;
  }

  /// Nodes that share an NVLink domain count as one node.
  void set_links(PublishedStep& step) const {
    const int in_node = number<int>("gpus_per_node", 1, most_ranks, 8);
    const int domain = number<int>("nvlink_domain", 1, most_ranks, in_node);
    const double nodes_of_domain = static_cast<double>(domain) / in_node;
    const double between_GBps = number("inter_GBps", 1e-6, 1e6, 1e6);
    if (text("inter_GBps").empty() && number<int>("gpus", 1, most_ranks) > domain)
      throw Refusal{"the table lacks: inter_GBps"};
    step.links = {.between = {usual_between_us, between_GBps * nodes_of_domain},
                  .within = Link{usual_within_us, number("intra_GBps", 1e-6, 1e6)},
                  .ranks_per_node = domain,
                  .transport = Transport::nccl};
  }
};

}  // namespace

bool has_parallel_steps(const CsvRow& header) {
  constexpr std::array names{"tp", "pp", "global_batch"};
  return std::all_of(names.begin(), names.end(),
                     [&](const char* name) { return std::find(header.begin(), header.end(), name) != header.end(); });
}

std::vector<PublishedStep> read_parallel_steps(const std::string& file, const std::vector<CsvRow>& rows) {
  std::vector<PublishedStep> steps;
  for (std::size_t i = 1; i < rows.size(); ++i) steps.push_back(ParallelRow(file, i + 1, rows[0], rows[i]).step());
  return steps;
}

}  // namespace ringmark::replay
