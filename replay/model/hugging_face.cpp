#include <filesystem>

#include "base/yaml_reader.hpp"
#include "replay/model/architectures.hpp"

namespace ringmark::replay {
namespace {

class ConfigReader {
 public:
  ConfigReader(const std::string& file, const std::string& text)
      : read_(file, YamlReader::Policy::throws), root_(read_yaml(file, text)) {
    if (!root_.IsMap()) read_.refuse(root_, "expected a map, as in Hugging Face's config.json");
  }

  Architecture architecture() {
    refuse_unknown_tensors();
    Architecture a;
    a.key_heads = 0;  // the number of heads, where the family has no other default
    a.name = std::filesystem::path(read_.file()).stem().string();
    if (root_["_name_or_path"] && root_["_name_or_path"].IsScalar() && !root_["_name_or_path"].Scalar().empty())
      a.name = root_["_name_or_path"].Scalar();
    read_family(a);
    refuse_other_heads();
    if (root_["num_key_value_heads"] || a.key_heads == 0) a.key_heads = maybe("num_key_value_heads", a.heads);
    a.is_tied = a.family != Architecture::Family::llama;
    if (root_["tie_word_embeddings"]) a.is_tied = read_.truth("tie_word_embeddings", root_["tie_word_embeddings"]);
    refuse_unless("word_embed_proj_dim", maybe("word_embed_proj_dim", a.hidden) == a.hidden);
    if (a.family == Architecture::Family::llama) {
      const bool has_biases = type_ == "llama" && is_true("attention_bias");
      a.attention_bias = has_biases || type_ == "qwen2";
      a.output_bias = has_biases;
      a.mlp_bias = type_ == "llama" && is_true("mlp_bias");
      a.head_width = maybe("head_dim", 0);
      read_windows(a);
    }
    check(a);
    return a;
  }

 private:
  static constexpr std::uint64_t most = 1U << 24U;

  bool is_given(const char* key) const { return root_[key] && !root_[key].IsNull(); }
  bool is_true(const char* key) { return is_given(key) && read_.truth(key, root_[key]); }
  std::uint64_t maybe(const char* key, std::uint64_t otherwise) {
    return is_given(key) ? read_.number<std::uint64_t>(key, root_[key], 1, most) : otherwise;
  }
  /// The value, or the one that transformers takes without the key; GPT-2's keys have a second name.
  std::uint64_t usual(const char* key, std::uint64_t otherwise, const char* other_name = "") {
    const bool is_renamed = !root_[key] && root_[other_name];
    const char* name = is_renamed ? other_name : key;
    return root_[name] ? read_.number<std::uint64_t>(name, root_[name], 1, most) : otherwise;
  }
  void refuse_unless(const char* key, bool is_usual) const {
    if (!is_usual)
      read_.refuse(root_[key], "{}: {}: its tensors are unknown; write a model description (docs/REPLAY.md)", key,
                   root_[key].IsScalar() ? root_[key].Scalar() : "…");
  }

  /// Some keys change tensors in ways that no shipped family has.
  void refuse_unknown_tensors() {
    for (const char* key : {"add_cross_attention", "_remove_final_layer_norm"}) refuse_unless(key, !is_true(key));
    for (const char* key : {"vision_config", "mm_vision_tower", "audio_config"}) refuse_unless(key, !is_given(key));
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"})
      refuse_unless(key, maybe(key, 1) == 1);
    for (const char* key : {"do_layer_norm_before", "enable_bias", "layer_norm_elementwise_affine"})
      refuse_unless(key, !is_given(key) || read_.truth(key, root_[key]));
  }

  /// Other classes than a language model's have another head, or none.
  void refuse_other_heads() const {
    if (!root_["architectures"] || !root_["architectures"].IsSequence()) return;
    for (const auto& each : root_["architectures"]) {
      const auto name = each.IsScalar() ? each.Scalar() : "";
      if (!name.ends_with("CausalLM") && !name.ends_with("LMHeadModel"))
        read_.refuse(each, "architectures: {}: no language model's head; write a model description (docs/REPLAY.md)",
                     name);
    }
  }

  void read_family(Architecture& a) {
    const auto& type = type_;
    if (type == "gpt2") {
      a.family = Architecture::Family::gpt2;
      a.layers = usual("n_layer", 12, "num_hidden_layers"), a.hidden = usual("n_embd", 768, "hidden_size");
      a.heads = usual("n_head", 12, "num_attention_heads");
      a.positions = usual("n_positions", 1024, "max_position_embeddings");
      a.vocabulary = usual("vocab_size", 50257);
      a.feed_forward = maybe("n_inner", 4 * a.hidden);
    } else if (type == "llama") {
      a.family = Architecture::Family::llama;
      a.layers = usual("num_hidden_layers", 32), a.hidden = usual("hidden_size", 4096);
      a.heads = usual("num_attention_heads", 32), a.positions = usual("max_position_embeddings", 2048);
      a.vocabulary = usual("vocab_size", 32000), a.feed_forward = usual("intermediate_size", 11008);
    } else if (type == "mistral" || type == "qwen2") {
      const bool is_mistral = type == "mistral";
      a.family = Architecture::Family::llama;
      a.layers = usual("num_hidden_layers", 32), a.hidden = usual("hidden_size", 4096);
      a.heads = usual("num_attention_heads", 32), a.key_heads = is_mistral ? 8 : 32;
      a.positions = usual("max_position_embeddings", is_mistral ? 131072 : 32768);
      a.vocabulary = usual("vocab_size", is_mistral ? 32000 : 151936);
      a.feed_forward = usual("intermediate_size", is_mistral ? 14336 : 22016);
    } else if (type == "opt") {
      a.family = Architecture::Family::opt;
      a.layers = usual("num_hidden_layers", 12), a.hidden = usual("hidden_size", 768);
      a.heads = usual("num_attention_heads", 12), a.positions = usual("max_position_embeddings", 2048);
      a.vocabulary = usual("vocab_size", 50272), a.feed_forward = usual("ffn_dim", 3072);
    } else {
      read_.refuse(root_,
                   "model_type '{}': known are llama, mistral, qwen2, opt and gpt2; others by a model description "
                   "(docs/REPLAY.md)",
                   type);
    }
  }

  /// Mistral's window is in all layers unless it is null, Qwen2's from max_window_layers on and only if it is asked
  /// for. layer_types names each layer's kind.
  void read_windows(Architecture& a) {
    const bool is_used = type_ == "mistral" || (type_ == "qwen2" && is_true("use_sliding_window"));
    const bool has_none = root_["sliding_window"] && root_["sliding_window"].IsNull();
    if (!is_used || has_none) return;
    constexpr std::uint64_t usual_window = 4096, usual_full_layers = 28;
    a.window = maybe("sliding_window", usual_window);
    const auto full_layers = type_ == "qwen2" && is_given("max_window_layers")
                                 ? read_.number<std::uint64_t>("max_window_layers", root_["max_window_layers"], 0, most)
                             : type_ == "qwen2" ? usual_full_layers
                                                : 0;
    for (std::uint64_t i = 0; full_layers > 0 && i < a.layers; ++i) a.windowed.push_back(i >= full_layers);
    if (!is_given("layer_types")) return;
    const auto types = root_["layer_types"];
    if (!types.IsSequence() || types.size() != a.layers)
      read_.refuse(types, "layer_types: expected a list of {} kinds, one for each layer", a.layers);
    a.windowed.clear();
    for (const auto& each : types)
      a.windowed.push_back(
          read_.choice<bool>("layer_types", each, {{"sliding_attention", true}, {"full_attention", false}}));
  }

  void check(const Architecture& a) const {
    if ((a.hidden % a.heads != 0 && a.head_width == 0) || a.heads % a.key_heads != 0)
      read_.refuse(root_, "{} heads, {} of them for keys, do not divide a width of {}", a.heads, a.key_heads, a.hidden);
    if (a.heads * a.head_width > most)
      read_.refuse(root_, "{} heads of {}: more than {} in all", a.heads, a.head_width, most);
    if (a.layers > 10'000) read_.refuse(root_, "{} layers: more than 10000", a.layers);
  }

  YamlReader read_;
  const YAML::Node root_;  ///< const: operator[] of a mutable node adds the key
  const std::string type_ = root_.IsMap() && root_["model_type"] ? read_.text("model_type", root_["model_type"]) : "";
};

}  // namespace

Architecture architecture_from_config(const std::string& file, const std::string& text) {
  return ConfigReader(file, text).architecture();
}

}  // namespace ringmark::replay
