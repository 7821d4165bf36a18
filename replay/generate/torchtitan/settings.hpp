// Settings that shape a step of torchtitan, in its own terms.
#pragma once

#include <cstdint>
#include <optional>

#include "base/datatype.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/generate/transformer.hpp"

namespace ringmark::replay::torchtitan {

constexpr std::uint64_t number(int value) { return static_cast<std::uint64_t>(value); }

/// PyTorch's pipeline schedules, which torchtitan takes by name.
enum class Schedule {
  one_f_one_b,
  gpipe,
  looped_bfs,
  interleaved,
  interleaved_zero_bubble,
  zbv_zero_bubble,
  dual_pipe_v,
};
/// Whether each rank has only one stage. Schedules with more stages send and receive each message separately.
bool has_one_stage(Schedule schedule);
/// The stages of a rank form a V: the first and the last, the second and the second to last. Otherwise they cycle
/// through the ranks.
bool is_v_shaped(Schedule schedule);

/// Whether gathered weights are freed after a forward pass.
enum class Reshard { usual, always, never };

/// How activations are typed for tensor and context parallelism.
enum class Backend { spmd_types, partial_dtensor, full_dtensor };

struct Sizes {
  int replicas = 1;  ///< copies of the weights: data_parallel_replicate_degree
  int shards = 1;    ///< data_parallel_shard_degree
  int tensor = 1, pipeline = 1, context = 1, expert = 1;
  bool shards_sequence = true;  ///< with tensor parallelism

  bool operator==(const Sizes&) const = default;
};

struct Settings {
  Transformer model;
  Sizes sizes;
  int ranks = 1;
  /// Samples of a data-parallel rank in a gradient accumulation step, of a pipeline's micro-batch, and of a whole step.
  std::uint64_t batch = 1, pipeline_batch = 1, global_batch = 1;
  std::uint64_t sequence = 2048;
  DataType type = DataType::bfloat16;
  Reshard reshard = Reshard::usual;
  Backend backend = Backend::spmd_types;
  Schedule schedule = Schedule::one_f_one_b;
  std::optional<std::uint64_t> layers_per_stage;
  /// Layers that the embedding, and norm and head, count as when layers are spread over stages.
  std::uint64_t embedding_layers = 1, head_layers = 1;
  bool recomputes = false;        ///< full activation checkpointing
  bool recomputes_some = false;   ///< selective activation checkpointing, by operator
  std::uint64_t loss_chunks = 8;  ///< 1: the loss of all tokens at once
  bool logs = true;               ///< the step's loss is summed over ranks for the log

  int stages_of_rank() const;
  int stages() const { return sizes.pipeline * stages_of_rank(); }
  /// Micro-batches of a pipeline; 1 without one.
  int micro_batches() const;
  int accumulation() const;
  /// Samples and tokens of a forward pass on a rank.
  std::uint64_t samples() const { return sizes.pipeline > 1 ? pipeline_batch : batch; }
  std::uint64_t tokens() const { return samples() * sequence / number(sizes.context); }
  bool has_sequence() const { return sizes.tensor > 1 && sizes.shards_sequence; }
  /// Whether ranks of a tensor group sum the gradients of a token's scores, rather than those of the router's weights.
  bool sums_up_scores() const {
    return backend != Backend::spmd_types && sizes.expert == 1 && sizes.tensor > 1 && model.experts.count > 0;
  }
  /// Ranks over which fully_shard spreads a tensor, of experts or of everything else.
  int weight_shards(bool of_experts) const;
};

/// torchtitan with its defaults: weights sharded over all data-parallel ranks, whose number follows from
/// `common.ranks`, and 1F1B or, with several stages per rank, its interleaved form. If layers do not divide into
/// `chunks` stages per rank, stages_of_rank() differs from `chunks`. Without a global batch, `common` gives the
/// micro-steps.
Settings usual_settings(Transformer model, Sizes sizes, int chunks, std::optional<std::uint64_t> global_batch,
                        const StepSettings& common);

/// Throws BadUsage with all settings that contradict each other or cannot be generated.
void check(const Settings& settings);

}  // namespace ringmark::replay::torchtitan
