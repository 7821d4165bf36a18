#include "replay/generate/torchtitan/memory.hpp"

#include <algorithm>

namespace ringmark::replay::torchtitan {
namespace {

/// Kept per logit: the logit in 16 bits, and its softmax in float32.
constexpr double logit_bytes = 6;

double real(std::uint64_t value) { return static_cast<double>(value); }

/// Bytes that a layer keeps of a token: the inputs of its norms and products, and of attention.
double kept(const Settings& settings, std::uint64_t layer) {
  const auto& model = settings.model;
  const double tp = settings.sizes.tensor, shards = settings.has_sequence() ? tp : 1;
  const double wide = real(size_bytes(settings.type)), hidden = real(model.hidden);
  const double attention = real(model.attention_inputs() + model.result_width()) / tp +
                           real(model.latent.query_rank + model.latent.key_rank);
  const auto mlp = [](std::uint64_t feed_forward) { return 3 * real(feed_forward); };
  const double outside = 4 * hidden / shards + attention;
  if (!model.has_experts(layer)) return wide * (outside + mlp(model.feed_forward) / tp);
  const auto& experts = model.experts;
  const double of_rank = settings.sizes.expert > 1 ? shards : tp;
  const double routed = experts.of_token * (2 * hidden + mlp(experts.feed_forward)) / of_rank;
  return wide * (outside + routed + mlp(experts.shared_feed_forward) / tp);
}

double activations_of(const Settings& settings, const Chunk& chunk) {
  const double shards = settings.has_sequence() ? settings.sizes.tensor : 1;
  const double input = real(size_bytes(settings.type)) * real(settings.model.hidden) / shards;
  double sum = 0;
  for (const auto& unit : chunk.units) {
    if (unit.kind == Unit::Kind::layer) sum += settings.recomputes ? input : kept(settings, unit.layer);
  }
  return sum;
}

}  // namespace

std::vector<MemoryPart> memory_of(const Settings& settings, const std::vector<std::unique_ptr<Chunk>>& chunks,
                                  const std::vector<Action>& actions) {
  double own = 0, whole = 0, largest = 0;
  for (const auto& chunk : chunks) {
    for (const auto& unit : chunk->units) {
      double of_unit = 0;
      for (const auto& group : unit.groups) {
        for (const auto& tensor : group.tensors) {
          of_unit += real(tensor.elements());
          own += real(tensor.elements()) / settings.weight_shards(group.of_experts);
        }
      }
      whole += of_unit;
      largest = std::max(largest, of_unit);
    }
  }
  const bool keeps_weights = settings.sizes.pipeline > 1 || settings.reshard == Reshard::never;
  double now = 0, most = 0;
  for (const auto& action : actions) {
    const auto chunk =
        std::find_if(chunks.begin(), chunks.end(), [&](const auto& each) { return each->stage == action.stage; });
    if (chunk == chunks.end()) continue;
    const double own_activations = activations_of(settings, **chunk);
    if (action.kind == Action::Kind::forward) most = std::max(most, now += own_activations);
    if (action.kind == Action::Kind::backward || action.kind == Action::Kind::backward_weights) now -= own_activations;
  }
  const double tokens = real(settings.tokens()), wide = real(size_bytes(settings.type));
  const double float_bytes = 4;
  std::vector<MemoryPart> memory{
      {"weights", float_bytes * own},
      {"gathered weights", wide * (keeps_weights ? whole : 2 * largest)},
      {"gradients", float_bytes * (settings.sizes.pipeline > 1 ? whole : own + largest)},
      {"optimizer states", 2 * float_bytes * own},
      {settings.recomputes ? "activations, recomputed" : "activations", tokens * most, true}};
  const bool has_head =
      std::any_of(chunks.begin(), chunks.end(), [](const auto& chunk) { return chunk->has(Unit::Kind::head); });
  if (has_head)
    memory.push_back(
        {"logits",
         logit_bytes * tokens * real(settings.model.vocabulary) / settings.sizes.tensor / real(settings.loss_chunks),
         true});
  return memory;
}

}  // namespace ringmark::replay::torchtitan
