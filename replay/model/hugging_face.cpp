#include <filesystem>

#include "base/yaml_reader.hpp"
#include "replay/model/architectures.hpp"

namespace ringmark::replay {

Architecture architecture_from_config(const std::string& file, const std::string& text) {
  YamlReader read(file, YamlReader::Policy::throws);
  const auto root = read_yaml(file, text);
  if (!root.IsMap()) read.refuse(root, "expected a map, as in Hugging Face's config.json");
  const auto type = root["model_type"] ? read.text("model_type", root["model_type"]) : "";
  constexpr std::uint64_t most = 1U << 24U;
  const auto maybe = [&](const char* key, std::uint64_t otherwise) {
    return root[key] && !root[key].IsNull() ? read.number<std::uint64_t>(key, root[key], 1, most) : otherwise;
  };
  /// The value, or what transformers takes without the key; GPT-2's keys have a second name.
  const auto usual = [&](const char* key, std::uint64_t otherwise, const char* other_name = "") {
    const bool is_renamed = !root[key] && root[other_name];
    const char* name = is_renamed ? other_name : key;
    return root[name] ? read.number<std::uint64_t>(name, root[name], 1, most) : otherwise;
  };
  // These keys change tensors in ways that no shipped family has.
  const auto refuse_unless = [&](const char* key, bool is_usual) {
    if (!is_usual)
      read.refuse(root[key], "{}: {}: its tensors are unknown; write a model description (docs/REPLAY.md)", key,
                  root[key].IsScalar() ? root[key].Scalar() : "…");
  };
  const auto is_given = [&](const char* key) { return root[key] && !root[key].IsNull(); };
  const auto is_true = [&](const char* key) { return is_given(key) && read.truth(key, root[key]); };
  for (const char* key : {"add_cross_attention", "_remove_final_layer_norm"}) refuse_unless(key, !is_true(key));
  for (const char* key : {"do_layer_norm_before", "enable_bias", "layer_norm_elementwise_affine"})
    refuse_unless(key, !is_given(key) || read.truth(key, root[key]));
  Architecture a;
  a.name = std::filesystem::path(file).stem().string();
  if (root["_name_or_path"] && root["_name_or_path"].IsScalar() && !root["_name_or_path"].Scalar().empty())
    a.name = root["_name_or_path"].Scalar();
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
  } else if (type == "opt") {
    a.family = Architecture::Family::opt;
    a.layers = usual("num_hidden_layers", 12), a.hidden = usual("hidden_size", 768);
    a.heads = usual("num_attention_heads", 12), a.positions = usual("max_position_embeddings", 2048);
    a.vocabulary = usual("vocab_size", 50272), a.feed_forward = usual("ffn_dim", 3072);
  } else {
    read.refuse(root, "model_type '{}': known are llama, opt and gpt2; others by a model description (docs/REPLAY.md)",
                type);
  }
  a.key_heads = maybe("num_key_value_heads", a.heads);
  a.is_tied = a.family != Architecture::Family::llama;
  if (root["tie_word_embeddings"]) a.is_tied = read.truth("tie_word_embeddings", root["tie_word_embeddings"]);
  refuse_unless("word_embed_proj_dim", maybe("word_embed_proj_dim", a.hidden) == a.hidden);
  if (a.family == Architecture::Family::llama) {
    a.attention_bias = is_true("attention_bias");
    a.mlp_bias = is_true("mlp_bias");
    a.head_width = maybe("head_dim", 0);
  }
  if ((a.hidden % a.heads != 0 && a.head_width == 0) || a.heads % a.key_heads != 0)
    read.refuse(root, "{} heads, {} of them for keys, do not divide a width of {}", a.heads, a.key_heads, a.hidden);
  if (a.heads * a.head_width > most)
    read.refuse(root, "{} heads of {}: more than {} in all", a.heads, a.head_width, most);
  if (a.layers > 10'000) read.refuse(root, "{} layers: more than 10000", a.layers);
  return a;
}

}  // namespace ringmark::replay
