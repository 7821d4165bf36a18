// Families of models that a few numbers describe, with their exact lists of tensors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/model/model.hpp"

namespace ringmark::replay {

struct Architecture {
  enum class Family { llama, opt, gpt2, gpt_neox };
  /// Norms of queries and keys run one by one, as Qwen3 has them, or after all three products, as Gemma 3 has them.
  /// OLMo 2 has them one by one, over all heads together.
  enum class HeadNorms { none, one_by_one, after_all, of_all_heads };
  /// The places of norms in a layer: before attention and MLP, after them as well as in Gemma 2, only after them as in
  /// OLMo 2, or one before both, which run in parallel as in Cohere's models.
  enum class Norms { inputs, inputs_and_results, results, shared };

  std::string name;
  Family family = Family::llama;
  std::uint64_t layers = 1, hidden = 1, feed_forward = 1, heads = 1, key_heads = 1, vocabulary = 1, positions = 1;
  bool is_tied = false;                           ///< the head uses the embedding's weight
  std::uint64_t head_width = 0;                   ///< for llama; 0: hidden / heads
  bool attention_bias = false, mlp_bias = false;  ///< for llama, whose linear modules mostly have no bias
  bool output_bias = false;                       ///< for llama: of the attention's last module
  HeadNorms head_norms = HeadNorms::none;         ///< for llama
  Norms norms = Norms::inputs;                    ///< for llama
  bool norm_bias = false;                         ///< for llama
  bool is_gated = true;                           ///< for llama: the MLP has a product of two inputs
  bool drops_out = false;                         ///< for llama: a module at the end of each layer
  bool is_fused = false;  ///< for llama: a matrix for queries, keys and values, and one for both inputs of the product
  std::uint64_t window = 0;         ///< of attention, for llama; 0: none
  std::vector<bool> windowed = {};  ///< the layers that have the window; empty: all
  std::string type = {};            ///< model_type of config.json; empty: the family's own
  /// Sizes that config.json leaves out, each with the default of transformers: "num_hidden_layers 32".
  std::vector<std::string> defaults_taken = {};
  std::vector<std::string> notes = {};  ///< keys of config.json that are left out

  bool operator==(const Architecture&) const = default;
};

/// Tensors and modules as Hugging Face's transformers register and run them.
Model make_model(const Architecture& architecture);

/// The nine models of the talks, and larger ones; llama-440m is a proxy with 439,927,808 elements, since only that
/// number is published.
const std::vector<Architecture>& shipped_architectures();
std::optional<Architecture> find_architecture(std::string_view name);

Model make_llama(const Architecture& architecture);

/// Reads a Hugging Face config.json of model_type opt, gpt2, gpt_neox or one in llama_like.hpp. Throws BadUsage with
/// the missing or unknown key.
Architecture architecture_from_config(const std::string& file, const std::string& text);

}  // namespace ringmark::replay
