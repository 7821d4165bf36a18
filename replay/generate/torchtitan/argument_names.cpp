#include "replay/generate/torchtitan/argument_names.hpp"

#include <algorithm>
#include <array>

namespace ringmark::replay::torchtitan {
namespace {

/// Whole sections, of 0.3.0 and of earlier releases.
constexpr std::array<std::string_view, 18> harmless_sections{
    "--checkpoint.", "--comm.",         "--dataloader.",        "--debug.",     "--experimental.", "--job.",
    "--loss.",       "--lr_scheduler.", "--memory_estimation.", "--metrics.",   "--model_spec.",   "--optimizer.",
    "--override.",   "--profiler.",     "--profiling.",         "--tokenizer.", "--validation.",   "--validator."};

constexpr std::array<std::string_view, 24> harmless{"--activation_checkpoint.early_stop",
                                                    "--activation_checkpoint.preserve_rng_state",
                                                    "--activation_checkpoint.selective_ac_option",
                                                    "--compile.backend",
                                                    "--compile.components.length",
                                                    "--compile.enable",
                                                    "--dump_folder",
                                                    "--hf_assets_path",
                                                    "--model.hf_assets_path",
                                                    "--model.tokenizer_path",
                                                    "--model.print_after_conversion",
                                                    "--parallelism.context_parallel_load_balancer",
                                                    "--parallelism.context_parallel_ptrr_mask_key",
                                                    "--training.compile",
                                                    "--training.data_parallel_type",
                                                    "--training.dataset",
                                                    "--training.dataset_path",
                                                    "--training.deterministic",
                                                    "--training.disable_cuda_graphs",
                                                    "--training.gc_debug",
                                                    "--training.gc_freq",
                                                    "--training.max_norm",
                                                    "--training.seed",
                                                    "--training.steps"};

constexpr std::array<std::string_view, 13> refused{"--compile.enable_async_tensor_parallel",
                                                   "--experimental.enable_async_tensor_parallel",
                                                   "--float8.enable_fsdp_float8_all_gather",
                                                   "--parallelism.context_parallel_rotate_method",
                                                   "--parallelism.enable_async_tensor_parallel",
                                                   "--parallelism.enable_compiled_autograd",
                                                   "--parallelism.enable_fsdp_symm_mem",
                                                   "--parallelism.module_fqns_per_model_part",
                                                   "--parallelism.module_fqns_per_model_part.length",
                                                   "--parallelism.pipeline_parallel_schedule_csv",
                                                   "--parallelism.pipeline_parallel_split_points.length",
                                                   "--quantize.linear.float8.enable_fsdp_float8_all_gather",
                                                   "--training.enable_cpu_offload"};

}  // namespace

bool is_harmless(std::string_view name) {
  return std::find(harmless.begin(), harmless.end(), name) != harmless.end() ||
         std::any_of(harmless_sections.begin(), harmless_sections.end(),
                     [&](std::string_view section) { return name.starts_with(section); });
}

bool is_refused(std::string_view name) { return std::find(refused.begin(), refused.end(), name) != refused.end(); }

}  // namespace ringmark::replay::torchtitan
