#include "replay/generate/megatron/memory.hpp"

#include <algorithm>

#include "replay/generate/megatron/schedule.hpp"

namespace ringmark::replay::megatron {
namespace {

/// Kept of a logit: in 16 bits, and its softmax in float32.
constexpr double logit_bytes = 6;
/// Of a weight: two moments and a copy in float32.
constexpr double state_bytes = 12;

class MemoryOfAStage {
 public:
  MemoryOfAStage(const Settings& settings, const std::vector<Chunk>& chunks, int stage)
      : settings_(settings), model_(settings.model), chunks_(chunks), stage_(stage), tp_(settings.sizes.tensor) {}

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
    const double shards = settings_.shards_optimizer ? static_cast<double>(settings_.data_parallel()) *
                                                           settings_.sizes.context / settings_.optimizer_instances
                                                     : 1;
    const double expert_shards = settings_.shards_optimizer ? settings_.expert_data_parallel() : 1;
    memory.push_back({"optimizer states", state_bytes * (dense / shards + experts / expert_shards)});
    memory.push_back({settings_.recompute.kind == Recompute::Kind::full ? "activations, recomputed" : "activations",
                      activations(), true});
    if (chunks_.back().place.has_head)
      memory.push_back({"logits", logit_bytes * tokens() * static_cast<double>(model_.vocabulary) / tp_, true});
    return memory;
  }

 private:
  double tokens() const { return static_cast<double>(settings_.tokens()); }
  double hidden() const { return static_cast<double>(model_.hidden); }
  /// Between layers a rank may have a part of the sequence alone.
  double shards() const { return settings_.sizes.shards_sequence ? tp_ : 1; }

  /// Elements that a layer keeps of a token: the inputs of its norms and products, and of attention.
  double kept(std::uint64_t layer) const {
    const auto width = static_cast<double>(model_.heads * model_.head_width);
    const auto keys = static_cast<double>(2 * model_.key_heads * model_.head_width);
    const double attention = 2 * hidden() / shards() + (2 * width + keys) / tp_;
    if (!model_.has_experts(chunks_.front().place.first_layer + layer))
      return attention + 2 * hidden() / shards() + mlp(static_cast<double>(model_.feed_forward)) / tp_;
    const auto& experts = model_.experts;
    const double routed = experts.of_token *
                          (2 * hidden() + mlp(static_cast<double>(experts.feed_forward)) / settings_.expert_tensor()) /
                          shards();
    return attention + 2 * hidden() / shards() + routed +
           mlp(static_cast<double>(experts.shared_feed_forward)) / tp_;
  }
  /// The first product's results and the second one's inputs.
  double mlp(double feed_forward) const { return (model_.is_gated ? 3 : 2) * feed_forward; }

  /// Of the micro-batches whose backward pass is to come, in this chunk.
  double activations() const {
    double all = 0;
    for (std::size_t at = 0; at < chunks_.size(); ++at) all += of_chunk(chunks_[at]) * in_flight(static_cast<int>(at));
    return static_cast<double>(size_bytes(settings_.type)) * tokens() * all;
  }

  double of_chunk(const Chunk& chunk) const {
    double sum = 0, largest = 0;
    const auto& recompute = settings_.recompute;
    for (std::uint64_t layer = 0; layer < chunk.place.layers; ++layer) {
      const bool is_first = recompute.first_layers == 0 || layer < recompute.first_layers;
      const bool is_again = recompute.kind == Recompute::Kind::full && is_first;
      sum += is_again ? hidden() / shards() : kept(layer);
      if (is_again) largest = std::max(largest, kept(layer));
    }
    return sum + largest;
  }

  /// The most micro-batches of a chunk between their forward and their backward pass.
  int in_flight(int chunk) const {
    const Pipeline pipeline{settings_.sizes.pipeline, settings_.sizes.chunks, settings_.micro_batches(),
                            settings_.group_of_micro_batches, settings_.overlaps_messages};
    int now = 0, most = 0;
    for (const auto& action : schedule_of(pipeline, stage_)) {
      if (action.chunk != chunk) continue;
      if (action.kind == Action::Kind::forward) most = std::max(most, ++now);
      if (action.kind == Action::Kind::backward) --now;
    }
    return most;
  }

  const Settings& settings_;
  const Transformer& model_;
  const std::vector<Chunk>& chunks_;
  int stage_;
  double tp_;
};

}  // namespace

std::vector<MemoryPart> memory_of(const Settings& settings, const std::vector<Chunk>& chunks, int stage) {
  return MemoryOfAStage(settings, chunks, stage).parts();
}

}  // namespace ringmark::replay::megatron
