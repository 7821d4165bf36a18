#include <algorithm>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/input/yaml_reader.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/expert_types.hpp"
#include "replay/model/hugging_face_keys.hpp"
#include "replay/model/llama_like.hpp"

namespace ringmark::replay {
namespace {

class ConfigReader {
 public:
  ConfigReader(const std::string& file, const std::string& text)
      : read_(file, YamlReader::Policy::throws), root_(read_yaml(file, text)) {
    if (!root_.IsMap()) read_.refuse(root_, "expected a map, as in Hugging Face's config.json");
  }

  Architecture architecture() {
    refuse_other_types();
    refuse_unknown_tensors();
    Architecture a;
    a.key_heads = 0;  // the number of heads, where the family has no other default
    a.name = std::filesystem::path(read_.file()).stem().string();
    if (root_["_name_or_path"] && root_["_name_or_path"].IsScalar() && !root_["_name_or_path"].Scalar().empty())
      a.name = root_["_name_or_path"].Scalar();
    check_keys(a);
    read_family(a);
    refuse_without_sizes();
    refuse_other_heads();
    if (root_["num_key_value_heads"] || a.key_heads == 0) a.key_heads = maybe("num_key_value_heads", a.heads);
    if (root_["tie_word_embeddings"]) a.is_tied = read_.truth("tie_word_embeddings", root_["tie_word_embeddings"]);
    refuse_unless("word_embed_proj_dim", maybe("word_embed_proj_dim", a.hidden) == a.hidden);
    check(a);
    a.defaults_taken = std::move(defaults_taken_);
    return a;
  }

 private:
  static constexpr std::uint64_t most = 1U << 24U;

  bool is_given(const char* key) const { return root_[key] && !root_[key].IsNull(); }
  bool is_true(const char* key) { return is_given(key) && read_.truth(key, root_[key]); }
  bool is_true_unless_told(const char* key) { return !is_given(key) || read_.truth(key, root_[key]); }
  std::uint64_t maybe(const char* key, std::uint64_t otherwise) {
    return is_given(key) ? read_.number<std::uint64_t>(key, root_[key], 1, most) : otherwise;
  }
  /// The value, or the default of transformers; GPT-2's keys have a second name.
  std::uint64_t usual(const char* key, std::uint64_t otherwise, const char* other_name = "") {
    const bool is_renamed = !root_[key] && root_[other_name];
    const char* name = is_renamed ? other_name : key;
    sizes_.emplace_back(key);
    if (root_[name]) return read_.number<std::uint64_t>(name, root_[name], 1, most);
    defaults_taken_.push_back(fmt::format("{} {}", key, otherwise));
    return otherwise;
  }
  void refuse_unless(const char* key, bool is_usual) const {
    if (!is_usual)
      read_.refuse(root_[key],
                   "{}: {}: its tensors are unknown; write a model description (docs/reference/model-file.md)", key,
                   root_[key].IsScalar() ? root_[key].Scalar() : "…");
  }

  /// Some keys change tensors in ways that no shipped family has.
  void refuse_unknown_tensors() {
    for (const char* key : {"add_cross_attention", "_remove_final_layer_norm"}) refuse_unless(key, !is_true(key));
    for (const char* key : {"vision_config", "mm_vision_tower", "audio_config"}) refuse_unless(key, !is_given(key));
    for (const char* key : {"model_config", "text_config", "llm_config"}) {
      if (is_given(key))
        read_.refuse(root_[key], "{}: is a section with a nested model's sizes; give that model's own config.json",
                     key);
    }
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"})
      refuse_unless(key, maybe(key, 1) == 1);
    for (const char* key : {"do_layer_norm_before", "enable_bias", "layer_norm_elementwise_affine"})
      refuse_unless(key, is_true_unless_told(key));
  }

  /// Refuses and notes what is not modelled, and collects the keys that no type has.
  void check_keys(Architecture& a) {
    std::vector<std::pair<std::string_view, std::vector<std::string>>> noted;  // keys by their words
    for (const auto& entry : root_) {
      const auto key = entry.first.as<std::string>("");
      if (!class_of_hugging_face_key(key)) {
        const auto meant = meant_hugging_face_key(key);
        unknown_.push_back(key + (meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)));
      }
      const auto* unmodelled = unmodelled_hugging_face_key(key);
      if (unmodelled == nullptr || !changes_step(entry.second, unmodelled->usual)) continue;
      if (unmodelled->kind == KeyClass::refused) read_.refuse(entry.first, "{}: {}", key, unmodelled->words);
      auto same =
          std::find_if(noted.begin(), noted.end(), [&](const auto& each) { return each.first == unmodelled->words; });
      if (same == noted.end()) same = noted.insert(noted.end(), {unmodelled->words, {}});
      same->second.push_back(key);
    }
    for (const auto& [words, keys] : noted)
      a.notes.push_back(fmt::format("{}: {} not modelled: {}", read_.file(),
                                    fmt::format("{} {}", fmt::join(keys, ", "), keys.size() > 1 ? "are" : "is"),
                                    words));
    if (!unknown_.empty())
      a.notes.push_back(
          fmt::format("{}: ignored, since transformers has no such keys: {}", read_.file(), fmt::join(unknown_, ", ")));
  }
  static bool changes_step(const YAML::Node& value, std::string_view usual) {
    return value.IsScalar() ? replay::changes_step(value.Scalar(), usual) : value.size() > 0;
  }

  /// A file that leaves out all of its type's sizes gets the defaults, unless it uses another program's names for them.
  void refuse_without_sizes() const {
    const auto has_default = [&](const std::string& size) {
      const auto starts = [&](const std::string& each) { return each.starts_with(size + " "); };
      return size == "vocab_size" || size == "max_position_embeddings" || size == "n_positions" ||
             std::any_of(defaults_taken_.begin(), defaults_taken_.end(), starts);
    };
    if (!unknown_.empty() && std::all_of(sizes_.begin(), sizes_.end(), has_default))
      read_.refuse(root_, "has no size of a '{}', but has keys that transformers does not know: {}; give {}", type_,
                   fmt::join(unknown_, ", "), fmt::join(sizes_, ", "));
  }

  /// Classes other than a language model's have a different head, or none.
  void refuse_other_heads() const {
    if (!root_["architectures"] || !root_["architectures"].IsSequence()) return;
    for (const auto& each : root_["architectures"]) {
      const auto name = each.IsScalar() ? each.Scalar() : "";
      if (!name.ends_with("CausalLM") && !name.ends_with("LMHeadModel"))
        read_.refuse(
            each,
            "architectures: {}: has no language model head; write a model description (docs/reference/model-file.md)",
            name);
    }
  }

  void read_family(Architecture& a) {
    if (type_ == "gpt2") {
      a.family = Architecture::Family::gpt2;
      a.layers = usual("n_layer", 12, "num_hidden_layers"), a.hidden = usual("n_embd", 768, "hidden_size");
      a.heads = usual("n_head", 12, "num_attention_heads");
      a.positions = usual("n_positions", 1024, "max_position_embeddings");
      a.vocabulary = usual("vocab_size", 50257);
      a.feed_forward = maybe("n_inner", 4 * a.hidden);
      a.is_tied = true;
      return;
    }
    if (type_ == "opt") {
      a.family = Architecture::Family::opt;
      a.layers = usual("num_hidden_layers", 12), a.hidden = usual("hidden_size", 768);
      a.heads = usual("num_attention_heads", 12), a.positions = usual("max_position_embeddings", 2048);
      a.vocabulary = usual("vocab_size", 50272), a.feed_forward = usual("ffn_dim", 3072);
      a.is_tied = true;
      return;
    }
    if (type_ == "gpt_neox") {
      a.family = Architecture::Family::gpt_neox;
      a.layers = usual("num_hidden_layers", 44), a.hidden = usual("hidden_size", 6144);
      a.heads = usual("num_attention_heads", 64), a.positions = usual("max_position_embeddings", 2048);
      a.vocabulary = usual("vocab_size", 50432), a.feed_forward = usual("intermediate_size", 24576);
      a.attention_bias = is_true_unless_told("attention_bias");
      if (!is_true_unless_told("use_parallel_residual"))
        a.notes.push_back(fmt::format(
            "{}: use_parallel_residual: false is not modelled: attention and MLP are taken to run in parallel",
            read_.file()));
      return;
    }
    read_llama_like(a, *llama_like());
  }

  void read_llama_like(Architecture& a, const LlamaLike& kind) {
    a.family = Architecture::Family::llama;
    if (type_ != "llama") a.type = type_;
    a.layers = usual("num_hidden_layers", kind.layers), a.hidden = usual("hidden_size", kind.hidden);
    a.heads = usual("num_attention_heads", kind.heads), a.key_heads = kind.key_heads;
    a.positions = usual("max_position_embeddings", kind.positions);
    a.vocabulary = usual("vocab_size", kind.vocabulary);
    a.feed_forward = usual("intermediate_size", kind.feed_forward);
    a.is_tied = kind.is_tied;
    a.head_width = maybe("head_dim", kind.head_width);
    for (const char* key : kind.refused) {
      if (key != nullptr) refuse_unless(key, !is_true(key));
    }
    const bool has_biases = kind.has_biases_unless_told && is_true_unless_told("use_bias");
    a.output_bias = has_biases || (kind.may_have_attention_biases && is_true("attention_bias"));
    a.attention_bias =
        kind.has_attention_biases || a.output_bias || (kind.may_have_query_biases && is_true("use_qkv_bias"));
    a.mlp_bias = has_biases || (kind.may_have_mlp_biases && is_true("mlp_bias"));
    a.head_norms = kind.head_norms;
    a.norms = kind.norms;
    a.norm_bias = kind.norm_bias;
    a.is_gated = kind.is_gated;
    a.drops_out = kind.drops_out;
    a.is_fused = kind.is_fused;
    read_windows(a, kind);
  }

  /// Null for types of other families.
  const LlamaLike* llama_like() const {
    const auto* found = std::find_if(llama_likes.begin(), llama_likes.end(),
                                     [this](const LlamaLike& each) { return each.type == type_; });
    return found == llama_likes.end() ? nullptr : found;
  }

  static std::vector<std::string_view> known_types() {
    std::vector<std::string_view> types{"opt", "gpt2", "gpt_neox"};
    for (const auto& each : llama_likes) types.push_back(each.type);
    return types;
  }

  void refuse_other_types() const {
    const auto types = known_types();
    const auto is_known = [&](std::string_view type) {
      return std::find(types.begin(), types.end(), type) != types.end();
    };
    if (is_known(type_)) return;
    if (find_expert_type(type_) != nullptr)
      read_.refuse(root_,
                   "model_type '{}': has experts, which only Megatron's steps support; give --framework megatron-core",
                   type_);
    const auto part = root_["text_config"];
    const auto of_part = part && part.IsMap() && part["model_type"] ? part["model_type"].as<std::string>("") : "";
    if (is_known(of_part))
      read_.refuse(root_,
                   "model_type '{}': has unknown parts; its text_config is a '{}': give that as a file of its own",
                   type_, of_part);
    read_.refuse(
        root_,
        "model_type '{}': expected one of {}; for others, write a model description (docs/reference/model-file.md)",
        type_, fmt::join(types, ", "));
  }

  /// layer_types names each layer's kind.
  void read_windows(Architecture& a, const LlamaLike& kind) {
    using enum LlamaLike::Windows;
    const auto windows = kind.windows;
    const bool is_used = windows == usually || (windows == where_given && is_given("sliding_window")) ||
                         (windows == on_request && is_true("use_sliding_window"));
    const bool has_none = root_["sliding_window"] && root_["sliding_window"].IsNull();
    if (!is_used || has_none) return;
    constexpr std::uint64_t usual_window = 4096, usual_full_layers = 28;
    a.window = maybe("sliding_window", usual_window);
    if (windows == on_request) {
      const auto full_layers =
          is_given("max_window_layers")
              ? read_.number<std::uint64_t>("max_window_layers", root_["max_window_layers"], 0, most)
              : usual_full_layers;
      for (std::uint64_t i = 0; i < a.layers; ++i) a.windowed.push_back(i >= full_layers);
    } else if (kind.full_every > 0) {
      const auto full_every =
          kind.may_tell_full_every ? maybe("sliding_window_pattern", kind.full_every) : kind.full_every;
      for (std::uint64_t i = 1; i <= a.layers; ++i) a.windowed.push_back(i % full_every != 0);
    }
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
      read_.refuse(root_, "{} heads with {} key heads do not evenly divide a width of {}", a.heads, a.key_heads,
                   a.hidden);
    if (a.heads * a.head_width > most)
      read_.refuse(root_, "{} heads of width {}: more than {} in total", a.heads, a.head_width, most);
    if (a.layers > 10'000) read_.refuse(root_, "{} layers: more than 10000", a.layers);
  }

  YamlReader read_;
  const YAML::Node root_;  ///< const: operator[] of a mutable node adds the key
  const std::string type_ = root_.IsMap() && root_["model_type"] ? read_.text("model_type", root_["model_type"]) : "";
  std::vector<std::string> defaults_taken_;
  std::vector<std::string> sizes_;    ///< keys that were looked for
  std::vector<std::string> unknown_;  ///< keys that no type has
};

}  // namespace

Architecture architecture_from_config(const std::string& file, const std::string& text) {
  return ConfigReader(file, text).architecture();
}

}  // namespace ringmark::replay
