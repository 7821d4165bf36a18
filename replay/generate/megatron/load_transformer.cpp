#include "replay/generate/megatron/load_transformer.hpp"

#include <filesystem>

#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_reader.hpp"
#include "replay/generate/megatron/chunk.hpp"
#include "replay/model/expert_types.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::replay::megatron {
namespace {

class ExpertConfig {
 public:
  ExpertConfig(const std::string& file, const YAML::Node& root, const ExpertKeys& keys, std::vector<std::string>& notes)
      : read_(file, YamlReader::Policy::throws), root_(root), keys_(keys), notes_(notes) {}

  Transformer transformer() {
    Transformer model;
    model.name = std::filesystem::path(read_.file()).stem().string();
    model.layers = number("num_hidden_layers");
    model.hidden = number("hidden_size");
    model.heads = number("num_attention_heads");
    model.key_heads = number("num_key_value_heads", model.heads);
    model.head_width = number("head_dim", model.hidden / model.heads);
    model.feed_forward = number("intermediate_size");
    model.vocabulary = number("vocab_size");
    model.is_tied = root_["tie_word_embeddings"] && read_.truth("tie_word_embeddings", root_["tie_word_embeddings"]);
    model.is_gated = true;
    model.has_biases = model.has_norm_biases = false;
    model.has_query_biases = keys_.has_query_biases;
    model.has_head_norms = keys_.has_head_norms;
    auto& experts = model.experts;
    experts.count = static_cast<int>(number(keys_.count));
    experts.of_token = static_cast<int>(number("num_experts_per_tok"));
    experts.feed_forward = number(keys_.feed_forward);
    if (keys_.shared_feed_forward != nullptr) experts.shared_feed_forward = number(keys_.shared_feed_forward);
    if (keys_.is_latent) {
      read_latent(model);
    } else {
      experts.every = static_cast<int>(number("decoder_sparse_step", 1));
      experts.dense_layers = experts.every - 1;
    }
    const auto dense = root_["mlp_only_layers"];
    if (dense && dense.IsSequence() && dense.size() > 0)
      read_.refuse(dense, "mlp_only_layers: {} layers without experts are not modelled", dense.size());
    return model;
  }

 private:
  /// Reads what DeepSeek's models have: latent attention, dense first layers, shared experts as wide as routed ones.
  void read_latent(Transformer& model) {
    const auto query_rank = root_["q_lora_rank"];
    model.latent = {.query_rank = query_rank && !query_rank.IsNull() ? number("q_lora_rank") : 0,
                    .key_rank = number("kv_lora_rank"),
                    .plain_width = number("qk_nope_head_dim"),
                    .rotary_width = number("qk_rope_head_dim"),
                    .value_width = number("v_head_dim")};
    auto& experts = model.experts;
    experts.dense_layers = static_cast<int>(number("first_k_dense_replace", 0, 0));
    experts.every = static_cast<int>(number("moe_layer_freq", 1));
    experts.shared_feed_forward = number("n_shared_experts", 0, 0) * experts.feed_forward;
    if (number("num_nextn_predict_layers", 0, 0) > 0)
      notes_.emplace_back("num_nextn_predict_layers: multi-token prediction layers are left out");
    notes_.emplace_back("latent attention: its calls with tensor parallelism have not been compared with recordings");
  }

  std::uint64_t number(const char* key, std::optional<std::uint64_t> otherwise = {}, std::uint64_t least = 1) {
    constexpr std::uint64_t most = std::uint64_t{1} << 24U;
    const auto value = root_[key];
    if (value && !value.IsNull()) return read_.number<std::uint64_t>(key, value, least, most);
    if (!otherwise) read_.refuse(root_, "{}: missing", key);
    return *otherwise;
  }

  YamlReader read_;
  YAML::Node root_;
  const ExpertKeys& keys_;
  std::vector<std::string>& notes_;
};

}  // namespace

Transformer transformer_of(const Architecture& architecture) {
  using Family = Architecture::Family;
  const bool is_llama = architecture.family == Family::llama, is_opt = architecture.family == Family::opt;
  const bool is_gpt2 = architecture.family == Family::gpt2 || is_opt;
  constexpr std::uint64_t opt_offset = 2;  // the first two of OPT's positions are padding
  const auto refuse = [&](const char* what) {
    throw BadUsage(Problem{.flag = "--model",
                           .value = architecture.name,
                           .text = fmt::format("{}, which is not modelled for Megatron-core", what),
                           .remedy = "give another framework"});
  };
  if (!is_llama && !is_gpt2) refuse("has layers unlike Llama's, GPT-2's and OPT's");
  if (architecture.norms != Architecture::Norms::inputs) refuse("has norms after attention");
  if (architecture.window > 0) refuse("has sliding-window attention");
  const bool has_head_norms = architecture.head_norms == Architecture::HeadNorms::one_by_one;
  if (architecture.head_norms != Architecture::HeadNorms::none && !has_head_norms)
    refuse("has query norms other than one per head");
  return {
      .name = architecture.name,
      .layers = architecture.layers,
      .hidden = architecture.hidden,
      .feed_forward = architecture.feed_forward,
      .heads = architecture.heads,
      .key_heads = architecture.key_heads,
      .head_width = architecture.head_width > 0 ? architecture.head_width : architecture.hidden / architecture.heads,
      .vocabulary = architecture.vocabulary,
      .positions = is_gpt2 ? architecture.positions + (is_opt ? opt_offset : 0) : 0,
      .is_tied = architecture.is_tied,
      .is_gated = is_llama && architecture.is_gated,
      .has_biases = is_gpt2 || architecture.mlp_bias,
      .has_query_biases = is_gpt2 || architecture.attention_bias,
      .has_norm_biases = is_gpt2 || architecture.norm_bias,
      .has_head_norms = has_head_norms};
}

Transformer load_transformer(const std::string& name_or_file, std::vector<std::string>& notes) {
  if (const auto shipped = find_architecture(name_or_file)) return transformer_of(*shipped);
  require_model_file(name_or_file);
  const auto text = whole_file(name_or_file, "--model " + name_or_file);
  const auto root = read_yaml(name_or_file, text);
  const auto type = root.IsMap() && root["model_type"] ? root["model_type"].Scalar() : "";
  if (type.empty())
    throw BadUsage(Problem{.flag = "--model",
                           .value = name_or_file,
                           .text = "has no model_type, which Hugging Face's config.json has; steps with roles describe "
                                   "layers by their sizes, not by a list of tensors",
                           .remedy = "give a config.json or a shipped name, or Megatron's arguments"});
  if (const auto* keys = find_expert_type(type)) return ExpertConfig(name_or_file, root, *keys, notes).transformer();
  const auto architecture = architecture_from_config(name_or_file, text);
  notes.insert(notes.end(), architecture.notes.begin(), architecture.notes.end());
  return transformer_of(architecture);
}

Elements elements_of(const Transformer& model) {
  Settings whole;
  whole.model = model;
  const auto chunk = make_chunk(whole, {0, model.layers, true, true});
  Elements elements;
  for (const auto& tensor : chunk.tensors) {
    const bool is_routed = tensor.module.find("expert.") != std::string::npos;
    const auto own = static_cast<double>(tensor.elements);
    elements.total += own;
    elements.active += is_routed ? own * model.experts.of_token / model.experts.count : own;
  }
  return elements;
}

}  // namespace ringmark::replay::megatron
