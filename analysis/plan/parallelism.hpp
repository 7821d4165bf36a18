// How a configuration of Megatron-core splits the model, in addition to data parallelism.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "replay/generate/megatron/settings.hpp"

namespace ringmark::analysis {

struct Parallelism {
  int tensor = 1, pipeline = 1;
  int chunks = 1;  ///< model chunks of a pipeline stage
  int context = 1, expert = 1;

  /// GPUs that share one copy of the model.
  int model_gpus() const { return tensor * pipeline * context; }
  auto operator<=>(const Parallelism&) const = default;
};

/// Settings of a Megatron-core step with it: sequence parallelism wherever there is tensor parallelism, and no tensor
/// parallelism within experts. The caller sets GPUs, batch and the like.
replay::megatron::Settings settings_of(const replay::Transformer& model, const Parallelism& parallelism);

/// The values to combine; an empty list is searched.
struct ParallelSearch {
  std::vector<int> tensor, pipeline, chunks, context, expert;
};

/// The combinations that divide the GPUs and the model. For sizes that are not given, tensor parallelism stays within a
/// node, a GPU gets at least 4,096 tokens of a sequence, and there are at most 64 stages.
std::vector<Parallelism> parallelisms_of(const ParallelSearch& search, const replay::Transformer& model, int gpus,
                                         int gpus_per_node, int sequence);

/// "tensor 8, pipeline 16 x 8, context 2, data 64", without sizes of 1; `copies` is the number of data-parallel copies
/// of the model.
std::string parallel_words(const Parallelism& parallelism, double copies);

}  // namespace ringmark::analysis
