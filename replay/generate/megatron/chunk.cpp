#include "replay/generate/megatron/chunk.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::replay::megatron {
namespace {

/// Registers the tensors of one chunk.
class Registration {
 public:
  Registration(const Settings& settings, Chunk& chunk)
      : settings_(settings), model_(settings.model), chunk_(chunk), tp_(uint(settings.sizes.tensor)) {}

  void run() {
    const auto& place = chunk_.place;
    const auto matrix = model_.vocabulary * model_.hidden / tp_;
    const bool is_shared = model_.is_tied && settings_.sizes.pipeline > 1;
    if (place.has_embedding) {
      add("embedding", matrix).is_shared = is_shared;
      if (model_.positions > 0) add("positions", model_.positions * model_.hidden);
    }
    for (std::uint64_t layer = 0; layer < place.layers; ++layer) add_layer(layer);
    if (!place.has_head) return;
    norm("final_norm", model_.hidden, true);
    // A single stage registers a tied matrix only with its embedding.
    if (!model_.is_tied || settings_.sizes.pipeline > 1) add("head", matrix).is_shared = is_shared;
  }

 private:
  static std::uint64_t uint(int value) { return static_cast<std::uint64_t>(value); }

  Tensor& add(const std::string& module, std::uint64_t elements) {
    chunk_.tensors.push_back({.module = module, .elements = elements});
    return chunk_.tensors.back();
  }

  void norm(const std::string& module, std::uint64_t width, bool is_summed_with_sequence) {
    const bool is_summed = tp_ > 1 && (!is_summed_with_sequence || settings_.sizes.shards_sequence);
    add(module, width).is_summed_over_tp = is_summed;
    if (model_.has_norm_biases) add(module, width).is_summed_over_tp = is_summed;
  }

  /// A matrix whose outputs are split over the tensor group.
  void columns(const std::string& module, std::uint64_t inputs, std::uint64_t outputs, bool has_bias) {
    add(module, inputs * outputs / tp_);
    if (has_bias) add(module, outputs / tp_);
  }

  /// A matrix whose inputs are split over the tensor group; every rank has the bias.
  void rows(const std::string& module, std::uint64_t inputs, std::uint64_t outputs) {
    add(module, inputs * outputs / tp_);
    if (model_.has_biases) add(module, outputs).is_summed_over_tp = settings_.sizes.shards_sequence && tp_ > 1;
  }

  void add_layer(std::uint64_t layer) {
    const auto prefix = layer_prefix(layer);
    const auto hidden = model_.hidden;
    norm(prefix + "input_norm", hidden, true);
    rows(prefix + "proj", model_.result_width(), hidden);
    if (model_.latent.key_rank > 0) {
      add_latent(prefix);
    } else {
      columns(prefix + "qkv", hidden, model_.attention_inputs(), model_.has_query_biases);
    }
    if (model_.has_head_norms) {
      norm(prefix + "q_norm", model_.head_width, false);
      norm(prefix + "k_norm", model_.head_width, false);
    }
    norm(prefix + "mlp_norm", hidden, true);
    if (model_.has_experts(chunk_.place.first_layer + layer)) return add_experts(prefix);
    columns(prefix + "fc1", hidden, (model_.is_gated ? 2 : 1) * model_.feed_forward, model_.has_biases);
    rows(prefix + "fc2", model_.feed_forward, hidden);
  }

  /// Every rank of a tensor group has the matrices that compute the narrow vectors, and their norms.
  void add_latent(const std::string& prefix) {
    const auto& latent = model_.latent;
    if (latent.query_rank > 0) {
      add(prefix + "q_down", model_.hidden * latent.query_rank);
      columns(prefix + "q_up", latent.query_rank, model_.query_width(), false);
      norm(prefix + "q_up", latent.query_rank, true);
    } else {
      columns(prefix + "q_up", model_.hidden, model_.query_width(), false);
    }
    add(prefix + "kv_down", model_.hidden * (latent.key_rank + latent.rotary_width));
    columns(prefix + "kv_up", latent.key_rank, model_.heads * (latent.plain_width + latent.value_width), false);
    norm(prefix + "kv_up", latent.key_rank, true);
  }

  void add_experts(const std::string& prefix) {
    const auto& experts = model_.experts;
    const std::uint64_t hidden = model_.hidden, inner = model_.is_gated ? 2 : 1;
    add(prefix + "router", uint(experts.count) * hidden).is_summed_over_tp = tp_ > 1 && settings_.sizes.shards_sequence;
    const auto etp = uint(settings_.expert_tensor());
    const bool is_expert = settings_.has_expert_groups();
    for (int expert = 0; expert < experts.count / settings_.sizes.expert; ++expert) {
      const auto module = fmt::format("{}expert.{}", prefix, expert);
      add(module, inner * experts.feed_forward * hidden / etp).is_expert = is_expert;
      if (model_.has_biases) add(module, inner * experts.feed_forward / etp).is_expert = is_expert;
      add(module, experts.feed_forward * hidden / etp).is_expert = is_expert;
      if (model_.has_biases) add(module, hidden).is_expert = is_expert;
    }
    if (experts.shared_feed_forward == 0) return;
    columns(prefix + "shared_fc1", hidden, inner * experts.shared_feed_forward, model_.has_biases);
    rows(prefix + "shared_fc2", experts.shared_feed_forward, hidden);
  }

  const Settings& settings_;
  const Transformer& model_;
  Chunk& chunk_;
  std::uint64_t tp_;
};

}  // namespace

std::uint64_t Chunk::summed_over_tp() const {
  std::uint64_t sum = 0;
  for (const auto& each : tensors) sum += each.is_summed_over_tp ? each.elements : 0;
  return sum;
}

std::uint64_t Chunk::elements() const {
  std::uint64_t sum = 0;
  for (const auto& each : tensors) sum += each.elements;
  return sum;
}

std::vector<Place> places_of(const Settings& settings, int stage) {
  const int stages = settings.sizes.pipeline, chunks = settings.sizes.chunks;
  const auto all = static_cast<std::uint64_t>(stages) * static_cast<std::uint64_t>(chunks);
  const auto each = settings.counted_layers() / all, rest = settings.counted_layers() % all;
  std::vector<Place> places;
  std::uint64_t first_layer = 0;
  for (int number = 0; number < stages * chunks; ++number) {
    const auto layers = settings.allows_uneven_chunks
                            ? each + (static_cast<std::uint64_t>(number) < rest ? 1 : 0)
                            : settings.layers_of_stage(number % stages) / static_cast<std::uint64_t>(chunks);
    Place place{first_layer, layers, number == 0, number + 1 == stages * chunks};
    if (place.has_embedding && settings.counts_embedding_as_layer) --place.layers;
    if (place.has_head && settings.counts_loss_as_layer) --place.layers;
    first_layer += place.layers;
    if (number % stages == stage) places.push_back(place);
  }
  return places;
}

Chunk make_chunk(const Settings& settings, const Place& place) {
  Chunk chunk{place, {}};
  Registration(settings, chunk).run();
  return chunk;
}

std::string layer_prefix(std::uint64_t layer) { return fmt::format("layers.{}.", layer); }

}  // namespace ringmark::replay::megatron
