// A transformer by its sizes, as frameworks with several kinds of parallelism describe it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringmark::replay {

struct Transformer {
  std::string name = "GPT";
  std::uint64_t layers = 1, hidden = 1, feed_forward = 1, heads = 1, key_heads = 1, head_width = 1;
  std::uint64_t vocabulary = 1;  ///< padded
  std::uint64_t positions = 0;   ///< learned; 0: rotary, which need no tensor
  bool is_tied = true;           ///< embedding and head share a matrix
  bool is_gated = false;
  bool has_biases = true;        ///< in all linear modules
  bool has_query_biases = true;  ///< in the product of queries, keys and values
  bool has_norm_biases = true;   ///< LayerNorm; RMSNorm has none
  bool has_head_norms = false;   ///< of queries and keys

  /// Multi-latent attention: queries, and keys with values, pass through narrow vectors. A head's queries and keys have
  /// a part without position and one with it, which all heads' keys share.
  struct Latent {
    std::uint64_t query_rank = 0, key_rank = 0;  ///< key_rank 0: plain attention
    std::uint64_t plain_width = 0, rotary_width = 0, value_width = 0;

    bool operator==(const Latent&) const = default;
  } latent;

  struct Experts {
    int count = 0;  ///< per layer; 0: none
    int of_token = 1;
    std::uint64_t feed_forward = 0, shared_feed_forward = 0;
    int dense_layers = 0;         ///< the first layers have no experts
    int every = 1;                ///< of the others, every n-th has them
    std::vector<bool> of_layers;  ///< whether a layer has them; empty: by the two numbers

    bool operator==(const Experts&) const = default;
  } experts;

  bool has_experts(std::uint64_t layer) const;
  /// The widths of queries, keys and values of all heads, as attention sees them.
  std::uint64_t query_width() const;
  std::uint64_t key_width() const;
  std::uint64_t value_width() const;
  std::uint64_t result_width() const;  ///< of attention
  /// The width of queries, keys and values together, of all heads that have their own.
  std::uint64_t attention_inputs() const { return query_width() + key_width() + value_width(); }
  bool operator==(const Transformer&) const = default;
};

}  // namespace ringmark::replay
