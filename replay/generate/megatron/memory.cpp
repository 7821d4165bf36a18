#include "replay/generate/megatron/memory.hpp"

#include <algorithm>
#include <utility>

#include "replay/generate/megatron/schedule.hpp"

namespace ringmark::replay::megatron {
namespace {

/// Kept per logit: the logit in 16 bits, and its softmax in float32.
constexpr double logit_bytes = 6;
/// Per weight: two moments and a copy in float32.
constexpr double state_bytes = 12;

class MemoryOfAStage {
 public:
  MemoryOfAStage(const Settings& settings, const std::vector<Chunk>& chunks, int stage)
      : settings_(settings),
        model_(settings.model),
        chunks_(chunks),
        stage_(stage),
        tp_(settings.sizes.tensor),
        wide_(static_cast<double>(size_bytes(settings.type))),
        narrow_(settings.has_float8 ? 1 : wide_) {}

  std::vector<MemoryPart> parts() const {
    std::vector<MemoryPart> memory;
    double dense = 0, experts = 0;
    for (const auto& chunk : chunks_) {
      for (const auto& tensor : chunk.tensors)
        (tensor.is_expert ? experts : dense) += static_cast<double>(tensor.elements);
    }
    const auto bytes = static_cast<double>(size_bytes(settings_.type));
    memory.push_back({"weights", bytes * (dense + experts)});
    memory.push_back({"gradients", static_cast<double>(size_bytes(settings_.gradient_type)) * (dense + experts)});
    memory.push_back({"optimizer states", state_bytes * (dense / settings_.optimizer_shards(false) +
                                                         experts / settings_.optimizer_shards(true))});
    memory.push_back({settings_.recompute.kind == Recompute::Kind::full ? "activations, recomputed" : "activations",
                      activations(), true});
    if (chunks_.back().place.has_head)
      memory.push_back({"logits", logit_bytes * tokens() * static_cast<double>(model_.vocabulary) / tp_, true});
    return memory;
  }

 private:
  double tokens() const { return static_cast<double>(settings_.tokens()); }
  double hidden() const { return static_cast<double>(model_.hidden); }
  /// The ranks that share a sequence's activations between layers.
  double shards() const { return settings_.sizes.shards_sequence ? tp_ : 1; }

  /// Bytes that a layer keeps of a token: the inputs of its norms and products, and of attention. Products in FP8 keep
  /// their inputs in FP8.
  double kept(const Chunk& chunk, std::uint64_t layer) const {
    const auto result = static_cast<double>(model_.result_width());
    const auto attention = static_cast<double>(model_.attention_inputs()) + result;
    const auto narrow_vectors = static_cast<double>(model_.latent.query_rank + model_.latent.key_rank);
    const double own = settings_.has_float8 ? result / tp_ : 0;  // attention's output in FP8 as well
    const double inputs = 2 * hidden() / shards();
    const double outside = wide_ * (inputs + narrow_vectors / shards() + attention / tp_) + narrow_ * inputs + own;
    if (!model_.has_experts(chunk.place.first_layer + layer))
      return outside + mlp(static_cast<double>(model_.feed_forward)) / tp_;
    const auto& experts = model_.experts;
    const double routed =
        experts.of_token *
        ((wide_ + narrow_) * hidden() + mlp(static_cast<double>(experts.feed_forward)) / settings_.expert_tensor()) /
        shards();
    return outside + routed + mlp(static_cast<double>(experts.shared_feed_forward)) / tp_;
  }
  /// Bytes of the first product's results and the second one's inputs.
  double mlp(double feed_forward) const { return (wide_ * (model_.is_gated ? 2 : 1) + narrow_) * feed_forward; }

  /// The peak over time: the activations of all micro-batches between their forward and backward pass, in all chunks.
  double activations() const {
    const Pipeline pipeline{settings_.sizes.pipeline, settings_.sizes.chunks, settings_.micro_batches(),
                            settings_.group_of_micro_batches, settings_.overlaps_messages};
    double now = 0, most = 0;
    for (const auto& action : schedule_of(pipeline, stage_)) {
      const auto& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
      if (action.kind == Action::Kind::forward) most = std::max(most, now += of_chunk(chunk));
      if (action.kind == Action::Kind::backward) now -= of_chunk(chunk);
    }
    return tokens() * (most + recomputed_at_once());
  }

  double of_chunk(const Chunk& chunk) const {
    const double input = wide_ * hidden() / shards();
    double sum = 0;
    for (std::uint64_t layer = 0; layer < chunk.place.layers; ++layer)
      sum += settings_.is_recomputed(layer) ? input / static_cast<double>(settings_.recomputed_together())
                                            : kept(chunk, layer);
    return sum;
  }

  /// The activations of layers that are recomputed together, which exist at the same time.
  double recomputed_at_once() const {
    double largest = 0;
    for (const auto& chunk : chunks_) {
      for (std::uint64_t layer = 0; layer < chunk.place.layers; ++layer)
        largest = std::max(largest, settings_.is_recomputed(layer) ? kept(chunk, layer) : 0);
    }
    return largest * static_cast<double>(settings_.recomputed_together());
  }

  const Settings& settings_;
  const Transformer& model_;
  const std::vector<Chunk>& chunks_;
  int stage_;
  double tp_;
  double wide_, narrow_;  ///< bytes of an activation, and of a product's input
};

}  // namespace

std::vector<MemoryPart> memory_of(const Settings& settings, const std::vector<Chunk>& chunks, int stage) {
  return MemoryOfAStage(settings, chunks, stage).parts();
}

std::vector<MemoryPart> memory_of(const Settings& settings) {
  std::vector<MemoryPart> fullest;
  for (int stage = 0; stage < settings.sizes.pipeline; ++stage) {
    std::vector<Chunk> chunks;
    for (const auto& place : places_of(settings, stage)) chunks.push_back(make_chunk(settings, place));
    auto memory = memory_of(settings, chunks, stage);
    if (total_bytes(memory) > total_bytes(fullest)) fullest = std::move(memory);
  }
  return fullest;
}

}  // namespace ringmark::replay::megatron
