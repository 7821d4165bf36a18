// Types of Hugging Face's models whose layers are like Llama's, with the defaults of transformers' configuration
// classes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "replay/model/architectures.hpp"

namespace ringmark::replay {

struct LlamaLike {
  /// The layers whose attention has a window: none, all, all if the file sets one, or those from max_window_layers on
  /// if the file enables them.
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
  bool has_biases_unless_told = false;   ///< in both, unless use_bias is false
  bool may_have_query_biases = false;    ///< in all but the attention's last module, if use_qkv_bias is true
  std::array<const char*, 2> refused{};  ///< keys that change tensors or windows if they are true
  Architecture::HeadNorms head_norms = Architecture::HeadNorms::none;
  Architecture::Norms norms = Architecture::Norms::inputs;
  bool norm_bias = false, is_gated = true, drops_out = false, is_fused = false;  ///< as in Architecture
  Windows windows = Windows::none;
  std::uint64_t full_every = 0;      ///< every n-th layer, counted from 1, still has no window; 0: none
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
              .norms = Architecture::Norms::inputs_and_results,
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
              .norms = Architecture::Norms::inputs_and_results,
              .windows = LlamaLike::Windows::usually,
              .full_every = 6,
              .may_tell_full_every = true},
    LlamaLike{.type = "smollm3",
              .layers = 36,
              .hidden = 2048,
              .heads = 16,
              .key_heads = 4,
              .positions = 32768,
              .vocabulary = 128256,
              .feed_forward = 11008,
              .is_tied = true,
              .may_have_attention_biases = true,
              .may_have_mlp_biases = true,
              .refused = {"use_sliding_window"}},
    LlamaLike{.type = "olmo2",
              .positions = 2048,
              .vocabulary = 50304,
              .feed_forward = 11008,
              .may_have_attention_biases = true,
              .head_norms = Architecture::HeadNorms::of_all_heads,
              .norms = Architecture::Norms::results},
    LlamaLike{.type = "olmo3",
              .positions = 2048,
              .vocabulary = 50304,
              .feed_forward = 11008,
              .may_have_attention_biases = true,
              .head_norms = Architecture::HeadNorms::of_all_heads,
              .norms = Architecture::Norms::results,
              .windows = LlamaLike::Windows::usually,
              .full_every = 4},
    LlamaLike{.type = "stablelm",
              .hidden = 2560,
              .key_heads = 32,
              .positions = 4096,
              .vocabulary = 50304,
              .feed_forward = 6912,
              .may_have_query_biases = true,
              .refused = {"qk_layernorm", "use_parallel_residual"},
              .norm_bias = true,
              .drops_out = true},
    LlamaLike{.type = "starcoder2",
              .layers = 30,
              .hidden = 3072,
              .heads = 24,
              .key_heads = 2,
              .positions = 4096,
              .vocabulary = 49152,
              .feed_forward = 12288,
              .is_tied = true,
              .has_biases_unless_told = true,
              .norm_bias = true,
              .is_gated = false,
              .windows = LlamaLike::Windows::where_given},
    LlamaLike{.type = "cohere",
              .layers = 40,
              .hidden = 8192,
              .heads = 64,
              .positions = 8192,
              .vocabulary = 256000,
              .feed_forward = 22528,
              .is_tied = true,
              .may_have_attention_biases = true,
              .refused = {"use_qk_norm"},
              .norms = Architecture::Norms::shared},
};

}  // namespace ringmark::replay
