// Types of Hugging Face's models whose layers are Llama's, with the defaults of transformers' configuration classes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "replay/model/architectures.hpp"

namespace ringmark::replay {

struct LlamaLike {
  /// The layers whose attention has a window: none, all, all if the file gives one, or those from max_window_layers on
  /// if it asks for them.
  enum class Windows { none, usually, where_given, on_request };

  std::string_view type;
  std::uint64_t layers = 32, hidden = 4096, heads = 32;
  std::uint64_t key_heads = 0;  ///< 0: heads
  std::uint64_t positions = 0, vocabulary = 0, feed_forward = 0;
  std::uint64_t head_width = 0;  ///< 0: hidden / heads
  bool is_tied = false;
  bool has_attention_biases = false;  ///< in all but the attention's last module
  /// The file may ask for them: in all modules of the attention, and in those of the MLP.
  bool may_have_attention_biases = false, may_have_mlp_biases = false;
  Architecture::HeadNorms head_norms = Architecture::HeadNorms::none;
  bool norms_results = false, is_fused = false;  ///< as in Architecture
  Windows windows = Windows::none;
  std::uint64_t full_every = 0;      ///< the layers, counted from 1, that have no window all the same; 0: none
  bool may_tell_full_every = false;  ///< in the file, as sliding_window_pattern
};

inline constexpr std::array llama_likes{
    LlamaLike{.type = "llama",
              .positions = 2048,
              .vocabulary = 32000,
              .feed_forward = 11008,
              .may_have_attention_biases = true,
              .may_have_mlp_biases = true},
    LlamaLike{.type = "granite",
              .positions = 2048,
              .vocabulary = 32000,
              .feed_forward = 11008,
              .may_have_attention_biases = true,
              .may_have_mlp_biases = true},
    LlamaLike{.type = "mistral",
              .key_heads = 8,
              .positions = 131072,
              .vocabulary = 32000,
              .feed_forward = 14336,
              .windows = LlamaLike::Windows::usually},
    LlamaLike{.type = "qwen2",
              .key_heads = 32,
              .positions = 32768,
              .vocabulary = 151936,
              .feed_forward = 22016,
              .has_attention_biases = true,
              .windows = LlamaLike::Windows::on_request},
    LlamaLike{.type = "qwen3",
              .key_heads = 32,
              .positions = 32768,
              .vocabulary = 151936,
              .feed_forward = 22016,
              .head_width = 128,
              .may_have_attention_biases = true,
              .head_norms = Architecture::HeadNorms::one_by_one,
              .windows = LlamaLike::Windows::on_request},
    LlamaLike{.type = "phi3",
              .hidden = 3072,
              .positions = 4096,
              .vocabulary = 32064,
              .feed_forward = 8192,
              .is_fused = true,
              .windows = LlamaLike::Windows::where_given},
    LlamaLike{.type = "gemma",
              .layers = 28,
              .hidden = 3072,
              .heads = 16,
              .key_heads = 16,
              .positions = 8192,
              .vocabulary = 256000,
              .feed_forward = 24576,
              .head_width = 256,
              .is_tied = true,
              .may_have_attention_biases = true},
    LlamaLike{.type = "gemma2",
              .layers = 26,
              .hidden = 2304,
              .heads = 8,
              .key_heads = 4,
              .positions = 8192,
              .vocabulary = 256000,
              .feed_forward = 9216,
              .head_width = 256,
              .is_tied = true,
              .may_have_attention_biases = true,
              .norms_results = true,
              .windows = LlamaLike::Windows::usually,
              .full_every = 2},
    LlamaLike{.type = "gemma3_text",
              .layers = 26,
              .hidden = 2304,
              .heads = 8,
              .key_heads = 4,
              .positions = 131072,
              .vocabulary = 262208,
              .feed_forward = 9216,
              .head_width = 256,
              .is_tied = true,
              .may_have_attention_biases = true,
              .head_norms = Architecture::HeadNorms::after_all,
              .norms_results = true,
              .windows = LlamaLike::Windows::usually,
              .full_every = 6,
              .may_tell_full_every = true},
};

}  // namespace ringmark::replay
