// Settings that shape a step of Megatron-core with every kind of parallelism, in Megatron-LM's own terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/datatype.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/generate/transformer.hpp"
#include "replay/model/recompute.hpp"

namespace ringmark::replay::megatron {

/// The number of ranks for each kind of parallelism. The remaining ranks are data-parallel.
struct Sizes {
  int tensor = 1, pipeline = 1, context = 1, expert = 1;
  int expert_tensor = 0;  ///< 0: the same as `tensor`
  int chunks = 1;         ///< model chunks of a pipeline stage ("virtual stages")
  bool shards_sequence = false;

  /// Ranks that share one copy of the model without experts; capped at one more than the limit of ranks.
  int model_ranks() const;
  bool operator==(const Sizes&) const = default;
};

/// How context-parallel ranks get each other's keys and values: in a ring, all at once, or each for a part of the
/// heads.
enum class ContextExchange { ring, all_gather, all_to_all };
enum class Dispatcher { all_to_all, all_gather };
/// Over which ranks the routers' choices are counted for the auxiliary loss, and whether for each sequence.
enum class Balancing { none, local, of_sequences, global };

/// What CUDA graphs launch. Graphs of layers leave out experts whose number of tokens depends on the router; the host
/// launches the kernels of these as without graphs.
enum class Graphs { none, layers, steps };

struct Settings {
  Transformer model;
  Sizes sizes;
  int ranks = 1;
  std::uint64_t micro_batch = 1, global_batch = 1, sequence = 2048;
  DataType type = DataType::bfloat16;
  bool has_float8 = false;     ///< products are in FP8
  bool has_data_last = false;  ///< ranks are ordered tp, cp, ep, pp, dp; else dp comes before pp

  bool shards_optimizer = false;  ///< the distributed optimizer
  int optimizer_instances = 1;    ///< copies of the optimizer's shards
  bool overlaps_gradients = false, overlaps_parameters = false;
  /// Products overlap with the tensor group's calls before and after them.
  bool overlaps_tensor_calls = false;
  std::optional<std::uint64_t> bucket;  ///< in elements; nothing: follows from the number of ranks
  int buckets = 0;                      ///< number of equal buckets; 0: buckets have the size above
  DataType gradient_type = DataType::float32;
  bool averages_in_collective = false;
  bool pads_buckets = false;      ///< to a multiple of 64 Ki elements
  bool aligns_gathers = true;     ///< interleaved schedules: stages gather weights at the same time
  bool aligns_reductions = true;  ///< pipelines: stages reduce gradients at the same time
  bool clips_gradients = true;
  bool counts_tokens = false;  ///< the loss is divided by the number of tokens of all ranks
  bool checks_reruns = true;   ///< the rerun state machine
  Graphs graphs = Graphs::none;

  Recompute recompute;
  bool recomputes_uniformly = true;  ///< in groups of `recompute_group` layers; else the first layers of a chunk
  int recompute_group = 1;
  bool recomputes_attention = true;                                                            ///< selective
  bool recomputes_mlp = false, recomputes_experts = false, recomputes_shared_experts = false;  ///< selective
  bool distributes_activations = false;  ///< each rank of a tensor group keeps a part of what full recomputation needs

  int group_of_micro_batches = 0;  ///< of interleaved schedules; 0: the number of stages
  bool overlaps_messages = true;   ///< of interleaved schedules
  bool counts_embedding_as_layer = false, counts_loss_as_layer = false;
  /// The first chunks may have one layer more than the last ones; otherwise all have the same number.
  bool allows_uneven_chunks = false;
  std::optional<std::uint64_t> first_layers, last_layers;  ///< of the first and the last stage

  ContextExchange context_exchange = ContextExchange::ring;
  Dispatcher dispatcher = Dispatcher::all_gather;
  Balancing balancing = Balancing::none;
  bool pads_experts = false;  ///< to their capacity, so that all parts are equal
  double capacity = 0;        ///< an expert's tokens as a multiple of its fair share; 0: no limit
  bool has_expert_bias = false;
  std::optional<DataType> router_type;  ///< of probabilities; nothing: the model's
  bool fuses_loss = false;              ///< one call adds up both sums of the loss

  int micro_batches() const;
  /// Whether full recomputation covers the chunk's layer.
  bool is_recomputed(std::uint64_t layer) const;
  /// The number of layers that are recomputed together, from the input of the first one.
  std::uint64_t recomputed_together() const;
  int expert_tensor() const { return sizes.expert_tensor > 0 ? sizes.expert_tensor : sizes.tensor; }
  /// Replicas of the model without experts, and of an expert.
  int data_parallel() const { return std::max(1, ranks / sizes.model_ranks()); }
  int expert_data_parallel() const;
  /// Ranks that share a copy of the optimizer's states, of experts or of everything else; 1 if each rank has its own.
  int optimizer_shards(bool of_experts) const;
  /// Experts' tensors have groups of ranks of their own.
  bool has_expert_groups() const { return sizes.expert > 1 || expert_tensor() != sizes.tensor; }
  /// Layers of the model, with embedding and loss if they count.
  std::uint64_t counted_layers() const;
  /// Layers of all chunks of a stage, with embedding and loss if they count.
  std::uint64_t layers_of_stage(int stage) const;
  DataType probability_type() const { return router_type.value_or(type); }
  std::uint64_t tokens() const { return micro_batch * sequence / static_cast<std::uint64_t>(sizes.context); }
};

/// Megatron pads the vocabulary to a multiple of the unit times the number of tensor-parallel ranks.
constexpr std::uint64_t usual_vocabulary_unit = 128;
std::uint64_t padded_vocabulary(std::uint64_t words, const Sizes& sizes, std::uint64_t unit = usual_vocabulary_unit);

/// If layers do not divide evenly over the chunks of all stages, makes embedding and loss count as layers, or gives the
/// last stage fewer layers.
void split_layers(Settings& settings);

/// Megatron-core as it usually trains: with its distributed optimizer, whose communication overlaps with computation,
/// and split_layers(). The caller sets ranks and batch; the model's vocabulary is not padded yet.
Settings usual_settings(Transformer model, const Sizes& sizes);
/// The same with the ranks, batch, sequence, types, recomputation, overlap and clipping from `common`.
Settings usual_settings(Transformer model, const Sizes& sizes, const StepSettings& common);

/// All settings that contradict each other or cannot be generated.
std::vector<std::string> problems_of(const Settings& settings);
/// Throws BadUsage with them.
void check(const Settings& settings);

}  // namespace ringmark::replay::megatron
