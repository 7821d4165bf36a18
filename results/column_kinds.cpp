#include "results/column_kinds.hpp"

#include <algorithm>
#include <span>

namespace ringmark {
namespace {

constexpr std::string_view things[]{"program",   "ranks",     "ranks_per_node", "ranks-per-node", "sizes",
                                    "min-bytes", "max-bytes", "step-factor",    "step-bytes",     "datatype",
                                    "op",        "in-place",  "timing",         "test",           "pairs",
                                    "src",       "dst",       "model",          "sequence",       "device",
                                    "software",  "dtype",     "root",           "pattern",        "counts",
                                    "seed",      "at-once",   "alone",          "groups",         "group",
                                    "members",   "beside",    "latency-sizes",  "leaf-of",        "rails",
                                    "start"};
constexpr std::string_view distortions[]{"scale-compute", "compute_scale", "scale-sizes",  "size_scale",
                                         "slow-down",     "slow_down",     "forward-ms",   "backward-ms",
                                         "step-ms",       "compute",       "compute_used", "compute-table"};
constexpr std::string_view choices[]{
    // what runs
    "transport", "algorithm", "framework", "ds-config", "trace", "zero", "zero_stage", "grad-accum", "micro_steps",
    "micro-batch", "micro_batch", "product-dtype", "product_dtype", "reduce-dtype", "param-groups", "overlap",
    "gradients", "bucket-cap-mb", "reduce-bucket", "clip-grad", "find-unused-parameters", "recompute",
    "sharding-strategy", "shard-degree", "reshard-after-forward", "wrap", "backward-prefetch", "forward-prefetch",
    "use-orig-params", "no-sync", "megatron-args", "torchtitan-config", "tp", "sp", "pp", "vp", "cp", "ep", "etp",
    "global-batch", "parallelism",
    // how it is measured
    "iters", "warmup", "precision", "max-time", "timeout", "check"};

constexpr std::string_view origins[]{"hosts", "version", "src_host", "dst_host"};

constexpr std::string_view library_versions[]{"nccl_version", "driver_version", "mpi_version", "ibverbs_version"};

constexpr std::string_view rates[]{"algbw_GBps",         "busbw_GBps",    "busbw_GBps_ci_low",
                                   "busbw_GBps_ci_high", "samples_per_s", "tokens_per_s"};

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<ColumnKind> kind_of(std::string_view column) {
  if (has(things, column) || column.starts_with("label.")) return ColumnKind::thing;
  if (has(distortions, column)) return ColumnKind::distortion;
  return has(choices, column) ? std::optional(ColumnKind::choice) : std::nullopt;
}

bool is_rate(std::string_view column) { return has(rates, column); }

bool is_origin(std::string_view column) { return has(origins, column); }

bool is_library_version(std::string_view column) { return has(library_versions, column); }

bool is_choice(std::string_view column) {
  return !is_origin(column) && kind_of(column).value_or(ColumnKind::choice) == ColumnKind::choice;
}

}  // namespace ringmark
