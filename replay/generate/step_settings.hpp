// Settings that shape the collectives of a training step, in the frameworks' own terms.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/datatype.hpp"
#include "replay/generate/sharding.hpp"
#include "replay/model/eager_layers.hpp"
#include "replay/model/recompute.hpp"
#include "replay/step/software.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// "deepspeed-0.16.4". A name without a version means the default version of the framework, the one that was observed.
struct Framework {
  enum class Kind { pytorch_ddp, pytorch_fsdp, deepspeed, megatron, pytorch_fsdp2 };

  static constexpr std::array<int, 3> usual_version(Kind kind) {
    switch (kind) {
      case Kind::pytorch_ddp:
        return {1, 13, 0};
      case Kind::pytorch_fsdp:
        return {2, 4, 0};
      case Kind::megatron:
        return {0, 19, 2};
      case Kind::pytorch_fsdp2:
        return {2, 9, 0};
      case Kind::deepspeed:
        break;
    }
    return {0, 16, 4};
  }

  Kind kind = Kind::deepspeed;
  std::array<int, 3> version = usual_version(Kind::deepspeed);

  std::string text() const;
  /// Whether weights, gradients and optimizer states can all be sharded.
  bool shards_all() const { return kind != Kind::pytorch_ddp && kind != Kind::megatron; }
  bool is_before(int major, int minor, int patch) const { return version < std::array{major, minor, patch}; }
  bool operator==(const Framework&) const = default;
};
std::optional<Framework> parse_framework(std::string_view text);

/// DeepSpeed's overlap_comm where a configuration does not set it.
constexpr bool usual_overlap_comm(int zero_stage) { return zero_stage == 3; }

constexpr std::uint64_t usual_bucket_cap_bytes = 25U << 20U;  ///< DDP's default

struct StepSettings {
  Framework framework;
  int zero_stage = 0;
  int ranks = 1;
  int ranks_per_node = 8;
  int micro_steps = 1;  ///< gradient accumulation
  std::uint64_t micro_batch = 1, sequence = 2048;
  DataType type = DataType::bfloat16;
  std::optional<DataType> reduce_type;  ///< of gradients on the wire; nothing: the framework's choice
  /// If the model does not give its groups: 2 separates tensors with more than one dimension from the rest.
  int parameter_groups = 1;
  std::optional<Overlap> overlap;  ///< nothing: the default of the framework's version
  bool overlap_comm = false;
  Recompute recompute;
  std::optional<Software::Kind> software;  ///< nothing: the usual one, except that its loss may not be fused

  std::optional<std::uint64_t> bucket_cap_bytes;  ///< DDP; nothing: usual_bucket_cap_bytes
  bool find_unused_parameters = false;            ///< DDP
  std::uint64_t reduce_bucket = 500'000'000;      ///< in elements, like all sizes below
  bool reduce_scatter = true;
  bool multi_rank_all_reduce = true;
  bool contiguous_gradients = true;
  bool round_robin = false;
  std::optional<bool> check_overflow_bf16;  ///< can be set from 0.17.1 on; on by default from 0.19.3 on
  /// The change that published talks propose: a bucket of stage 1 or 2 is one reduce_scatter in equal parts.
  bool scatter_gradients = false;

  std::uint64_t prefetch_bucket = 50'000'000, persistence_threshold = 100'000;
  std::uint64_t model_persistence_threshold = std::numeric_limits<std::uint64_t>::max();  ///< sum over the model
  std::uint64_t max_live = 1'000'000'000, max_reuse_distance = 1'000'000'000, sub_group = 1'000'000'000;
  bool fetches_by_all_reduce = false;   ///< stage3_use_all_reduce_for_fetch_params
  bool fetches_singly = false;          ///< stage3_allgather_sequential
  bool accumulates_in_float32 = false;  ///< grad_accum_dtype
  bool offloads_optimizer = false;      ///< to the host or a disk
  bool offloads_to_disk = false;        ///< implies offloads_optimizer
  double offloaded_ratio = 1;           ///< of the optimizer's groups in stage 3, if it is offloaded
  std::optional<bool> clips_gradients;  ///< DeepSpeed: default from 0.19.3 on; FSDP: always
  bool quantized_weights = false, quantized_gradients = false;
  int secondary_partition = 1;  ///< hpZ: ranks that share a second copy of the weights

  Sharding sharding;  ///< FSDP and FSDP2

  DataType gradient_type() const;
  /// FSDP and FSDP2: ranks that share one copy of weights, gradients and optimizer states.
  int shard_degree() const;
  /// Several copies of FSDP's weights, each shared by some ranks.
  bool is_hybrid() const;
  Overlap effective_overlap() const;
  /// Whether stage 1 uses DeepSpeed's bfloat16 optimizer, which early versions also use for stage 0.
  bool takes_bf16_optimizer() const {
    const bool offloads_to_host = offloads_optimizer && !offloads_to_disk;
    return zero_stage == 1 && type == DataType::bfloat16 && accumulates_in_float32 && !offloads_to_host;
  }
  /// Stages 1 and 2 with an offloaded optimizer need contiguous gradients, whatever the setting.
  bool keeps_gradients_contiguous() const {
    return contiguous_gradients || (offloads_optimizer && (zero_stage == 1 || zero_stage == 2));
  }
};

/// "without overlap_comm, DeepSpeed's default for ZeRO 1 and 2", for a step of DeepSpeed's stages 1 to 3; otherwise
/// empty.
std::string overlap_comm_words(const StepSettings& settings);

/// Types of weights and activations. Assumes that DDP trains with autocast, and that other frameworks keep weights in
/// 16 bits.
Precision precision_of(const StepSettings& settings);

/// Throws BadUsage with all settings that contradict each other or cannot be generated.
void check(const StepSettings& settings);

}  // namespace ringmark::replay
