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
  const auto need = [&](const char* key) {
    if (!root[key]) read.refuse(root, "{}: missing, which model_type {} needs", key, type);
    return read.number<std::uint64_t>(key, root[key], 1, most);
  };
  const auto maybe = [&](const char* key, std::uint64_t otherwise) {
    return root[key] && !root[key].IsNull() ? read.number<std::uint64_t>(key, root[key], 1, most) : otherwise;
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
    a.layers = need("n_layer"), a.hidden = need("n_embd"), a.heads = need("n_head"), a.positions = need("n_positions");
    a.feed_forward = maybe("n_inner", 4 * a.hidden);
  } else if (type == "llama" || type == "opt") {
    a.family = type == "opt" ? Architecture::Family::opt : Architecture::Family::llama;
    a.layers = need("num_hidden_layers"), a.hidden = need("hidden_size"), a.heads = need("num_attention_heads");
    a.positions = need("max_position_embeddings");
    a.feed_forward = need(type == "opt" ? "ffn_dim" : "intermediate_size");
  } else {
    read.refuse(root, "model_type '{}': known are llama, opt and gpt2; others by a model description (docs/REPLAY.md)",
                type);
  }
  a.vocabulary = need("vocab_size");
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
