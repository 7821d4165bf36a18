#include "replay/model/hugging_face_keys.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/spelling.hpp"

namespace ringmark::replay {
namespace {

// The keys of nested models and experts are listed so that they are refused: no known type has them.
constexpr std::string_view modelled = R"(
model_type architectures _name_or_path name_or_path num_hidden_layers hidden_size num_attention_heads
num_key_value_heads head_dim intermediate_size ffn_dim vocab_size max_position_embeddings n_layer n_embd n_head n_inner
n_positions word_embed_proj_dim tie_word_embeddings attention_bias mlp_bias use_bias use_qkv_bias enable_bias
do_layer_norm_before layer_norm_elementwise_affine _remove_final_layer_norm qk_layernorm use_qk_norm
use_parallel_residual add_cross_attention sliding_window use_sliding_window max_window_layers layer_types
sliding_window_pattern vision_config mm_vision_tower audio_config model_config text_config llm_config
num_local_experts num_experts n_routed_experts moe_num_experts)";

// The type in which a file's weights are stored does not count: --dtype or the ds_config sets the step's.
constexpr std::string_view no_effect = R"(
dtype torch_dtype use_bfloat16 transformers_version _commit_hash torchscript tf_legacy_loss tokenizer_class prefix
task_specific_params finetuning_task problem_type id2label label2id num_labels return_dict is_decoder
tie_encoder_decoder cross_attention_hidden_size chunk_size_feed_forward use_cache experts_implementation
_attn_implementation_autoset bos_token_id eos_token_id pad_token_id sep_token_id decoder_start_token_id
bad_words_ids begin_suppress_tokens suppress_tokens diversity_penalty do_sample early_stopping
encoder_no_repeat_ngram_size exponential_decay_length_penalty forced_bos_token_id forced_eos_token_id length_penalty
max_length min_length no_repeat_ngram_size num_beam_groups num_beams num_return_sequences output_scores
remove_invalid_values repetition_penalty return_dict_in_generate temperature top_k top_p typical_p
initializer_range init_std rms_norm_eps layer_norm_eps layer_norm_epsilon norm_epsilon norm_type hidden_act
hidden_activation activation_function rope_parameters rope_scaling rope_theta rope_local_base_freq rotary_emb_base
rotary_pct partial_rotary_factor original_max_position_embeddings no_rope_layer_interval no_rope_layers
query_pre_attn_scalar logit_scale logits_scaling attention_multiplier embedding_multiplier residual_multiplier
scale_attn_weights scale_attn_by_inverse_layer_idx summary_activation summary_first_dropout summary_proj_to_labels
summary_type summary_use_proj classifier_dropout n_ctx)";

constexpr std::string_view with_dropout = "the computation and masks of dropout are left out";
constexpr std::array unmodelled{
    UnmodelledKey{"", "quantization_config", KeyClass::refused,
                  "quantised weights are not trained; remove the section to predict the training of all weights in the "
                  "type of --dtype"},
    UnmodelledKey{"", "compression_config", KeyClass::refused,
                  "compressed weights are not trained; remove the section to predict the training of all weights in "
                  "the type of --dtype"},
    UnmodelledKey{
        "", "per_layer_config", KeyClass::refused,
        "layers of different sizes are not modelled; write a model description (docs/reference/model-file.md)"},
    UnmodelledKey{"", "pruned_heads", KeyClass::refused,
                  "layers with fewer heads are not modelled; write a model description (docs/reference/model-file.md)"},
    UnmodelledKey{"", "is_encoder_decoder", KeyClass::refused,
                  "encoder-decoder models are not modelled; write a model description (docs/reference/model-file.md)"},
    UnmodelledKey{"", "auto_map", KeyClass::noted,
                  "the model has its own code; the predicted tensors and modules are those of transformers' class"},
    UnmodelledKey{"", "gradient_checkpointing", KeyClass::noted, "give --recompute if layers are recomputed"},
    UnmodelledKey{"", "attn_implementation", KeyClass::noted, "--software decides how attention is computed"},
    UnmodelledKey{"", "_attn_implementation", KeyClass::noted, "--software decides how attention is computed"},
    UnmodelledKey{"", "output_attentions", KeyClass::noted, "the memory of all scores is left out"},
    UnmodelledKey{"", "output_hidden_states", KeyClass::noted, "the memory of kept outputs is left out"},
    UnmodelledKey{"", "pretraining_tp", KeyClass::noted, "products are computed whole, not in slices", "1"},
    UnmodelledKey{"", "use_bidirectional_attention", KeyClass::noted, "attention is computed with a causal mask"},
    UnmodelledKey{"", "reorder_and_upcast_attn", KeyClass::noted, "attention is computed in the model's type"},
    UnmodelledKey{"", "attn_logit_softcapping", KeyClass::noted,
                  "attention is computed without the soft cap on its scores"},
    UnmodelledKey{"", "final_logit_softcapping", KeyClass::noted,
                  "the loss is computed without the soft cap on logits"},
    UnmodelledKey{"", "layerdrop", KeyClass::noted, "the predicted step drops no layers"},
    UnmodelledKey{"", "attention_dropout", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "attn_pdrop", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "resid_pdrop", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "embd_pdrop", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "dropout", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "activation_dropout", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "hidden_dropout", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "residual_dropout", KeyClass::noted, with_dropout},
    UnmodelledKey{"", "embedding_dropout", KeyClass::noted, with_dropout},
};

bool has(std::string_view list, std::string_view key) {
  const auto keys = words_of(list);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

std::optional<KeyClass> class_of_hugging_face_key(std::string_view key) {
  if (const auto* found = unmodelled_hugging_face_key(key)) return found->kind;
  if (has(modelled, key)) return KeyClass::modelled;
  if (has(no_effect, key)) return KeyClass::no_effect;
  return std::nullopt;
}

const UnmodelledKey* unmodelled_hugging_face_key(std::string_view key) {
  const auto* found =
      std::find_if(unmodelled.begin(), unmodelled.end(), [&](const UnmodelledKey& each) { return each.key == key; });
  return found == unmodelled.end() ? nullptr : found;
}

std::string_view meant_hugging_face_key(std::string_view key) { return meant_by(lower_case(key), words_of(modelled)); }

}  // namespace ringmark::replay
