// Each key of DeepSpeed's configuration with its class. tests/replay/files/known_keys.txt lists the keys of versions
// 0.16.4 and 0.19.8, from their source.
#pragma once

#include <array>
#include <string_view>

#include "replay/model/config_keys.hpp"

namespace ringmark::replay {

/// Keys of a section, and of its subsections that have no row of their own, separated by white space. "*" is any key.
struct DsConfigKeyList {
  std::string_view section;
  KeyClass kind;
  std::string_view keys;
};

// A section that only groups others' keys has no effect itself.
inline constexpr std::array ds_config_key_lists{
    DsConfigKeyList{"", KeyClass::modelled, R"(
train_batch_size train_micro_batch_size_per_gpu gradient_accumulation_steps gradient_clipping communication_data_type
zero_optimization fp16 bf16 bfloat16 data_types data_parallel_size)"},
    DsConfigKeyList{"", KeyClass::no_effect, R"(
optimizer scheduler steps_per_print dump_state memory_breakdown prescale_gradients gradient_predivide_factor
gradient_allreduce_op zero_allow_untested_optimizer zero_force_ds_cpu_optimizer disable_allgather allgather_size
activation_checkpointing seq_parallel_communication_data_type seq_parallel_comm_data_type tensor_parallel compile
checkpoint comet csv_monitor tensorboard wandb nebula datastates_ckpt flops_profiler aio
timers logging log_level disable_python_gc dataloader_drop_last use_node_local_storage
use_data_before_expert_parallelism vocabulary_size)"},
    DsConfigKeyList{"zero_optimization", KeyClass::modelled, R"(
stage contiguous_gradients reduce_scatter reduce_bucket_size use_multi_rank_bucket_allreduce overlap_comm offload_param
offload_optimizer sub_group_size cpu_offload cpu_offload_param cpu_offload_params prefetch_bucket_size
stage3_prefetch_bucket_size param_persistence_threshold stage3_param_persistence_threshold model_persistence_threshold
stage3_model_persistence_threshold max_live_parameters stage3_max_live_parameters max_reuse_distance
stage3_max_reuse_distance use_all_reduce_for_fetch_params stage3_use_all_reduce_for_fetch_params allgather_sequential
stage3_allgather_sequential round_robin_gradients zero_hpz_partition_size zero_quantized_weights
zero_quantized_gradients)"},
    // Stages 1 and 2 gather weights in one all_gather_into_tensor, whatever the buckets for all_gather.
    DsConfigKeyList{"zero_optimization", KeyClass::no_effect, R"(
allgather_partitions allgather_bucket_size load_from_fp32_weights elastic_checkpoint cpu_offload_use_pin_memory
gather_16bit_weights_on_model_save stage3_gather_16bit_weights_on_model_save stage3_gather_fp16_weights_on_model_save
ignore_unused_parameters mics_hierarchical_params_gather pipeline_loading_checkpoint override_module_apply
log_trace_cache_warnings enable_sanity_checks save_muon_momentum_buffer_in_memory)"},
    DsConfigKeyList{"zero_optimization.leaf_module", KeyClass::no_effect, "classes names name_suffixes"},
    DsConfigKeyList{"zero_optimization.zenflow", KeyClass::no_effect, R"(
topk_ratio select_strategy select_interval update_interval overlap_step offload auto_ratio full_warm_up_rounds
pt_reserved_cores_perc steps_per_epoch)"},
    DsConfigKeyList{"zero_optimization.zeropp_loco_param", KeyClass::no_effect, "*"},
    DsConfigKeyList{"zero_optimization.offload_optimizer", KeyClass::modelled, "device ratio"},
    DsConfigKeyList{"zero_optimization.offload_optimizer", KeyClass::no_effect, R"(
nvme_path buffer_count pin_memory pipeline pipeline_read pipeline_write fast_init cpuadam_cores_perc)"},
    DsConfigKeyList{"zero_optimization.offload_param", KeyClass::modelled, "device"},
    DsConfigKeyList{"zero_optimization.offload_param", KeyClass::no_effect,
                    "nvme_path buffer_count buffer_size max_in_cpu pin_memory"},
    DsConfigKeyList{"fp16", KeyClass::modelled, "enabled"},
    DsConfigKeyList{"fp16", KeyClass::no_effect, R"(
auto_cast loss_scale initial_scale_power loss_scale_window hysteresis consecutive_hysteresis min_loss_scale)"},
    DsConfigKeyList{"bf16", KeyClass::modelled, "enabled check_grad_overflow"},
    DsConfigKeyList{"data_types", KeyClass::modelled, "grad_accum_dtype"},
    // DeepSpeed refuses a param_dtype other than that of fp16 and bf16; the other keys affect only buffers.
    DsConfigKeyList{"data_types", KeyClass::no_effect, "param_dtype buffer_dtype keep_in_fp32_modules"},
    DsConfigKeyList{"optimizer", KeyClass::modelled, "type"},
    DsConfigKeyList{"optimizer", KeyClass::no_effect, "params legacy_fusion"},
    DsConfigKeyList{"optimizer.params", KeyClass::no_effect, "*"},
    DsConfigKeyList{"scheduler", KeyClass::no_effect, "*"},
    DsConfigKeyList{"activation_checkpointing", KeyClass::no_effect, "number_checkpoints profile"},
    DsConfigKeyList{"torch_autocast", KeyClass::no_effect, "enabled dtype lower_precision_safe_modules"},
    DsConfigKeyList{"tensor_parallel", KeyClass::no_effect, R"(
dtype tp_overlap_comm vocab_parallel_lm_head vocab_parallel_ce_backend tensor_parallel tp injection_policy_tuple
partition_config preset_model keep_module_on_host kernel_inject replace_with_kernel_inject)"},
    DsConfigKeyList{"tensor_parallel.tp", KeyClass::no_effect, "tp_grain_size mpu tp_group"},
    DsConfigKeyList{"tensor_parallel.tensor_parallel", KeyClass::no_effect, "tp_grain_size mpu tp_group"},
    DsConfigKeyList{"tensor_parallel.partition_config", KeyClass::no_effect, "*"},
    DsConfigKeyList{"expert_parallel", KeyClass::no_effect, R"(
enabled autoep_size expert_tensor_parallel_size preset_model moe_layer_pattern router_pattern expert_pattern
expert_activation expert_w1 expert_w2 expert_w3 num_experts_attr top_k top_k_attr score_func score_apply route_norm
route_scale routed_scaling_factor num_expert_groups num_limited_groups has_shared_experts shared_experts_pattern
shared_experts_gate_pattern load_balance_coeff _load_balance_coeff_explicit use_grouped_mm
disable_triton_grouped_mm combine_impl gate_up_impl row_weighting_impl comm_backend comm_max_tokens_per_rank
comm_num_sm comm_qp_margin async_split_plan validate_folding_routing)"},
    DsConfigKeyList{"pipeline", KeyClass::no_effect, R"(
partition seed_layers activation_checkpoint_interval pipe_partitioned grad_partitioned use_reentrant)"},
    DsConfigKeyList{"hybrid_engine", KeyClass::no_effect, R"(
enabled max_out_tokens inference_tp_size release_inference_cache pin_parameters tp_gather_partition_size
enable_cuda_graph)"},
    // The other settings of compile matter only with deepcompile.
    DsConfigKeyList{"compile", KeyClass::no_effect, R"(
backend kwargs autoep_non_moe free_activation free_activation_threshold offload_activation
offload_activation_pin_memory offload_opt_states offload_parameters double_buffer symmetric_memory debug_log
sync_before_reduce sync_after_reduce sync_before_allgather sync_after_allgather keep_int_input_tensors
keep_all_input_tensors passes)"},
    DsConfigKeyList{"weight_quantization", KeyClass::no_effect, "*"},
    DsConfigKeyList{"compression_training", KeyClass::no_effect, "*"},
    DsConfigKeyList{"quantize_training", KeyClass::no_effect, "*"},
    DsConfigKeyList{"progressive_layer_drop", KeyClass::no_effect, "enabled theta gamma"},
    DsConfigKeyList{"curriculum_learning", KeyClass::no_effect, "*"},
    DsConfigKeyList{"data_efficiency", KeyClass::no_effect, "*"},
    DsConfigKeyList{"sparse_attention", KeyClass::no_effect, "*"},
    DsConfigKeyList{"eigenvalue", KeyClass::no_effect,
                    "enabled verbose max_iter tol stability gas_boundary_resolution layer_name layer_num"},
    DsConfigKeyList{"elasticity", KeyClass::no_effect, "*"},
    DsConfigKeyList{"autotuning", KeyClass::no_effect, "*"},
    DsConfigKeyList{"amp", KeyClass::no_effect, "*"},
    DsConfigKeyList{"aio", KeyClass::no_effect,
                    "block_size queue_depth intra_op_parallelism thread_count single_submit overlap_events use_gds"},
    DsConfigKeyList{"checkpoint", KeyClass::no_effect, "*"},
    DsConfigKeyList{"nebula", KeyClass::no_effect, "*"},
    DsConfigKeyList{"datastates_ckpt", KeyClass::no_effect, "*"},
    DsConfigKeyList{"logging", KeyClass::no_effect, "*"},
    DsConfigKeyList{"flops_profiler", KeyClass::no_effect, R"(
enabled recompute_fwd_factor profile_step module_depth top_modules detailed output_file)"},
    DsConfigKeyList{"comms_logger", KeyClass::no_effect, "enabled verbose prof_all debug prof_ops"},
    DsConfigKeyList{"timers", KeyClass::no_effect, "throughput"},
    DsConfigKeyList{"timers.throughput", KeyClass::no_effect, "enabled synchronized"},
    DsConfigKeyList{"tensorboard", KeyClass::no_effect, "enabled output_path job_name"},
    DsConfigKeyList{"csv_monitor", KeyClass::no_effect, "enabled output_path job_name"},
    DsConfigKeyList{"wandb", KeyClass::no_effect, "enabled group team project"},
    DsConfigKeyList{"comet", KeyClass::no_effect, R"(
enabled samples_log_interval project workspace api_key experiment_name experiment_key online mode)"},
};

// A section with a row here counts as a whole; the keys in it have no effect of their own.
inline constexpr std::array unmodelled_ds_config_keys{
    UnmodelledKey{"", "sequence_parallel_size", KeyClass::refused,
                  "sequence parallelism is not modelled: ranks would share a sample; remove the key to predict each "
                  "rank with samples of its own",
                  "1"},
    UnmodelledKey{"", "expert_parallel", KeyClass::refused,
                  "expert parallelism is not modelled; remove the section to predict a model without experts"},
    UnmodelledKey{"", "elasticity", KeyClass::refused,
                  "elastic training chooses the batch itself; disable it and give the batch it settles on"},
    UnmodelledKey{"", "weight_quantization", KeyClass::refused,
                  "weights stored in quantised form are not modelled; remove the section to predict all weights in "
                  "their own type"},
    UnmodelledKey{"", "zenflow", KeyClass::refused,
                  "ZenFlow's memory and updates are not modelled; remove the section"},
    UnmodelledKey{"", "pipeline", KeyClass::noted,
                  "only pipeline-parallel training reads it; the prediction has all layers on each rank"},
    UnmodelledKey{"pipeline", "stages", KeyClass::refused,
                  "pipeline parallelism is not modelled; remove the key to predict all layers on each rank", "1"},
    UnmodelledKey{"tensor_parallel", "autotp_size", KeyClass::refused,
                  "tensor parallelism is not modelled; remove the section to predict whole layers on each rank", "1"},
    UnmodelledKey{"tensor_parallel.tp", "tp_size", KeyClass::refused,
                  "tensor parallelism is not modelled; remove the section to predict whole layers on each rank", "1"},
    UnmodelledKey{"tensor_parallel.tensor_parallel", "tp_size", KeyClass::refused,
                  "tensor parallelism is not modelled; remove the section to predict whole layers on each rank", "1"},
    UnmodelledKey{"zero_optimization", "mics_shard_size", KeyClass::refused,
                  "MiCS is not modelled: ranks would hold 1/mics_shard_size of the states; remove the key to predict "
                  "ZeRO-3, whose ranks hold 1/ranks of them",
                  "-1"},
    UnmodelledKey{"zero_optimization", "zeropp_loco_param", KeyClass::refused,
                  "LoCo's error feedback takes memory that is not counted; remove the key to predict plain ZeRO++"},
    UnmodelledKey{"zero_optimization", "zenflow", KeyClass::refused,
                  "ZenFlow's memory and updates are not modelled; remove the section"},
    UnmodelledKey{"zero_optimization", "legacy_stage1", KeyClass::refused,
                  "DeepSpeed after 0.5.8 has no legacy stage 1; remove the key"},
    UnmodelledKey{"zero_optimization", "stage3_module_granularity_threshold", KeyClass::noted,
                  "small modules are gathered one by one"},
    UnmodelledKey{"zero_optimization", "module_granularity_threshold", KeyClass::noted,
                  "small modules are gathered one by one"},
    UnmodelledKey{"zero_optimization", "leaf_module", KeyClass::noted, "leaf modules are gathered part by part"},
    UnmodelledKey{"zero_optimization", "zero_quantized_nontrainable_weights", KeyClass::noted,
                  "frozen weights are stored and gathered in the model's type"},
    UnmodelledKey{"zero_optimization", "memory_efficient_linear", KeyClass::noted,
                  "gradients come in the order of DeepSpeed's own linear layer", "true"},
    UnmodelledKey{"zero_optimization", "parameter_alignment", KeyClass::noted,
                  "the padding between tensors, less than 16 bytes each, is left out of messages and memory"},
    UnmodelledKey{"zero_optimization", "compute_grad_norm", KeyClass::noted, "the norm is computed", "true"},
    UnmodelledKey{"zero_optimization.offload_optimizer", "super_offload", KeyClass::noted,
                  "the optimizer's updates do not overlap with the backward pass"},
    UnmodelledKey{"fp16", "fp16_master_weights_and_grads", KeyClass::noted,
                  "master weights and their gradients are counted in float32"},
    UnmodelledKey{"bf16", "bf16_master_weights_and_grads", KeyClass::noted,
                  "master weights and their gradients are counted in float32"},
    UnmodelledKey{"bf16", "bf16_optimizer_states", KeyClass::noted, "optimizer states are counted in float32"},
    UnmodelledKey{"bf16", "immediate_grad_update", KeyClass::noted, "16-bit gradients are counted until the step"},
    UnmodelledKey{"activation_checkpointing", "partition_activations", KeyClass::noted,
                  "activations are counted whole on each rank"},
    UnmodelledKey{"activation_checkpointing", "cpu_checkpointing", KeyClass::noted,
                  "activations are counted in the device's memory, and not moved"},
    UnmodelledKey{"activation_checkpointing", "contiguous_memory_optimization", KeyClass::noted,
                  "the copies to a contiguous buffer are left out"},
    UnmodelledKey{"activation_checkpointing", "synchronize_checkpoint_boundary", KeyClass::noted,
                  "nothing waits for the device at a checkpoint"},
    UnmodelledKey{"", "managed_gradient_accumulation", KeyClass::noted,
                  "gradients are reduced as DeepSpeed accumulates them", "true"},
    UnmodelledKey{
        "", "torch_autocast", KeyClass::noted,
        "the prediction computes and communicates in the type that fp16 or bf16 enables, otherwise in float32"},
    UnmodelledKey{"", "amp", KeyClass::noted,
                  "the prediction uses the type that fp16 or bf16 enables, otherwise float32"},
    UnmodelledKey{"", "fp32_allreduce", KeyClass::noted, "gradients have the type of communication_data_type"},
    UnmodelledKey{"", "sparse_gradients", KeyClass::noted, "embedding gradients are reduced as dense tensors"},
    UnmodelledKey{"compile", "enabled", KeyClass::noted, "--software decides how kernels are fused"},
    UnmodelledKey{"compile", "deepcompile", KeyClass::noted,
                  "it moves the gathers of stage 3, and its passes may offload"},
    UnmodelledKey{"", "graph_harvesting", KeyClass::noted, "kernels are launched one by one"},
    UnmodelledKey{"", "hybrid_engine", KeyClass::noted, "the prediction covers training steps without generation"},
    UnmodelledKey{"", "compression_training", KeyClass::noted, "the whole model is trained uncompressed"},
    UnmodelledKey{"", "quantize_training", KeyClass::noted, "the model is trained without quantisation"},
    UnmodelledKey{"", "eigenvalue", KeyClass::noted, "the time to compute eigenvalues is left out"},
    UnmodelledKey{"", "progressive_layer_drop", KeyClass::noted, "the prediction assumes that no layer is dropped"},
    UnmodelledKey{"", "curriculum_learning", KeyClass::noted, "the prediction assumes samples of --sequence tokens"},
    UnmodelledKey{"", "data_efficiency", KeyClass::noted,
                  "the prediction assumes full batches of --sequence tokens in all layers"},
    UnmodelledKey{"", "sparse_attention", KeyClass::noted, "attention is computed as dense attention"},
    UnmodelledKey{"", "autotuning", KeyClass::noted, "the prediction uses the settings in the file"},
    UnmodelledKey{"", "comms_logger", KeyClass::noted,
                  "DeepSpeed waits for each collective that it logs; the prediction does not"},
    UnmodelledKey{"", "wall_clock_breakdown", KeyClass::noted,
                  "DeepSpeed waits for the device around each phase that it times; the prediction does not"},
};

}  // namespace ringmark::replay
