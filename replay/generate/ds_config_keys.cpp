#include "replay/generate/ds_config_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace ringmark::replay {
namespace {

constexpr const char* bf16_keys =
    "enabled check_grad_overflow immediate_grad_update bf16_master_weights_and_grads bf16_optimizer_states";

/// Each section with its keys, separated by blanks.
constexpr std::array<std::pair<std::string_view, const char*>, 8> sections{{
    {"", R"(
train_batch_size train_micro_batch_size_per_gpu gradient_accumulation_steps gradient_clipping communication_data_type
zero_optimization fp16 bf16 bfloat16 data_types)"},  // keys that shape a step: others may be the user's own
    {"zero_optimization", R"(
stage contiguous_gradients reduce_scatter reduce_bucket_size use_multi_rank_bucket_allreduce
allgather_partitions allgather_bucket_size overlap_comm load_from_fp32_weights elastic_checkpoint offload_param
offload_optimizer sub_group_size cpu_offload cpu_offload_param cpu_offload_params cpu_offload_use_pin_memory
prefetch_bucket_size stage3_prefetch_bucket_size param_persistence_threshold stage3_param_persistence_threshold
model_persistence_threshold stage3_model_persistence_threshold max_live_parameters stage3_max_live_parameters
max_reuse_distance stage3_max_reuse_distance gather_16bit_weights_on_model_save
stage3_gather_16bit_weights_on_model_save stage3_gather_fp16_weights_on_model_save module_granularity_threshold
stage3_module_granularity_threshold use_all_reduce_for_fetch_params stage3_use_all_reduce_for_fetch_params
allgather_sequential stage3_allgather_sequential ignore_unused_parameters legacy_stage1 round_robin_gradients
zero_hpz_partition_size zero_quantized_weights zero_quantized_nontrainable_weights zero_quantized_gradients
zeropp_loco_param mics_shard_size mics_hierarchical_params_gather memory_efficient_linear
pipeline_loading_checkpoint override_module_apply leaf_module log_trace_cache_warnings enable_sanity_checks
zenflow save_muon_momentum_buffer_in_memory)"},
    {"fp16", R"(
enabled auto_cast loss_scale initial_scale_power loss_scale_window hysteresis consecutive_hysteresis
min_loss_scale fp16_master_weights_and_grads)"},
    {"bf16", bf16_keys},
    {"bfloat16", bf16_keys},
    {"data_types", "grad_accum_dtype"},
    {"offload_optimizer", R"(
device nvme_path buffer_count pin_memory pipeline pipeline_read pipeline_write fast_init ratio super_offload
cpuadam_cores_perc)"},
    {"offload_param", "device nvme_path buffer_count buffer_size max_in_cpu pin_memory"},
}};

/// Further keys of the top level, which do not shape a step.
constexpr const char* other_keys = R"(
optimizer scheduler steps_per_print wall_clock_breakdown prescale_gradients gradient_predivide_factor sparse_gradients
zero_allow_untested_optimizer zero_force_ds_cpu_optimizer disable_allgather dump_state memory_breakdown fp32_allreduce
activation_checkpointing sparse_attention torch_autocast tensor_parallel pipeline hybrid_engine compile
compression_training progressive_layer_drop curriculum_learning data_efficiency aio amp autotuning elasticity
flops_profiler comms_logger tensorboard wandb csv_monitor comet checkpoint nebula logging eigenvalue zenflow
sequence_parallel_size seq_parallel_communication_data_type use_node_local_storage dataloader_drop_last)";

std::set<std::string> words_of(const char* text) {
  std::istringstream in(text);
  std::set<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  return words;
}

std::set<std::string> keys_of(std::string_view section) {
  for (const auto& [name, words] : sections) {
    if (name == section) return words_of(words);
  }
  return {};
}

/// Levenshtein's distance: letters to change, remove or add.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (const char letter : a) {
    auto diagonal = std::exchange(row[0], row[0] + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (letter == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

bool is_ds_config_key(std::string_view key, std::string_view section) {
  const auto keys = keys_of(section);
  return keys.empty() || keys.contains(std::string(key));
}

bool is_ds_config_key_of_any_kind(std::string_view key) {
  return is_ds_config_key(key, "") || words_of(other_keys).contains(std::string(key));
}

std::string meant_key(std::string_view key, std::string_view section) {
  std::string letters(key);
  std::transform(letters.begin(), letters.end(), letters.begin(), [](unsigned char c) { return std::tolower(c); });
  // Short keys are easily within reach of another one, so they are not guessed.
  constexpr std::size_t short_key = 4, long_key = 8;
  std::size_t least = key.size() >= long_key ? 3 : 2;
  std::string meant;
  for (const auto& known : keys_of(section)) {
    if (known.size() < short_key) continue;
    if (const auto letters_apart = distance(letters, known); letters_apart < least)
      least = letters_apart, meant = known;
  }
  return meant;
}

}  // namespace ringmark::replay
