// Families of models that a few numbers describe, with their exact lists of tensors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/model/model.hpp"

namespace ringmark::replay {

struct Architecture {
  enum class Family { llama, opt, gpt2 };
  /// Norms of queries and keys run one by one, as Qwen3 has them, or after all three products, as Gemma 3 has them.
  enum class HeadNorms { none, one_by_one, after_all };

  std::string name;
  Family family = Family::llama;
  std::uint64_t layers = 1, hidden = 1, feed_forward = 1, heads = 1, key_heads = 1, vocabulary = 1, positions = 1;
  bool is_tied = false;                           ///< the head uses the embedding's weight
  std::uint64_t head_width = 0;                   ///< for llama; 0: hidden / heads
  bool attention_bias = false, mlp_bias = false;  ///< for llama, whose linear modules mostly have no bias
  bool output_bias = false;                       ///< for llama: of the attention's last module
  HeadNorms head_norms = HeadNorms::none;         ///< for llama
  bool norms_results = false;                     ///< for llama: of the attention and of the MLP, as Gemma 2 does
  bool is_fused = false;  ///< for llama: a matrix for queries, keys and values, and one for both inputs of the product
  std::uint64_t window = 0;         ///< of attention, for llama; 0: none
  std::vector<bool> windowed = {};  ///< the layers that have the window; empty: all
  std::string type = {};            ///< model_type of config.json; empty: the family's own

  bool operator==(const Architecture&) const = default;
};

/// Tensors and modules as Hugging Face's transformers register and run them.
Model make_model(const Architecture& architecture);

/// The nine models of the talks; llama-440m is a proxy with 439,927,808 elements, since only that number is published.
const std::vector<Architecture>& shipped_architectures();
std::optional<Architecture> find_architecture(std::string_view name);

/// Reads a Hugging Face config.json of model_type llama, mistral, qwen2, qwen3, phi3, granite, gemma, gemma2,
/// gemma3_text, opt or gpt2. Throws BadUsage with the missing or unknown key.
Architecture architecture_from_config(const std::string& file, const std::string& text);

}  // namespace ringmark::replay
