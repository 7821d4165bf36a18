#include "replay/generate/torchtitan/chunk.hpp"

#include <algorithm>

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay::torchtitan {
namespace {

/// Makes the tensors of a unit.
class UnitMaker {
 public:
  explicit UnitMaker(const Settings& settings)
      : settings_(settings), model_(settings.model), tp_(number(settings.sizes.tensor)) {}

  Unit embedding() {
    auto& tensors = start(Unit::Kind::embedding);
    tensors.push_back({.rows = model_.vocabulary / tp_, .inner = model_.hidden});
    return std::move(unit_);
  }

  Unit head() {
    auto& tensors = start(Unit::Kind::head);
    norm(tensors, model_.hidden);
    tensors.push_back({.rows = model_.vocabulary / tp_, .inner = model_.hidden, .is_head = true});
    return std::move(unit_);
  }

  Unit layer(std::uint64_t index) {
    auto& tensors = start(Unit::Kind::layer);
    unit_.layer = index;
    if (model_.latent.key_rank > 0) {
      latent_attention(tensors);
    } else {
      columns(tensors, model_.hidden, model_.attention_inputs());
      if (model_.has_head_norms) {
        for (int each = 0; each < 2; ++each) norm(tensors, model_.head_width);
      }
    }
    rows(tensors, model_.result_width(), model_.hidden);
    for (int each = 0; each < 2; ++each) norm(tensors, model_.hidden);
    if (!model_.has_experts(index)) {
      mlp(tensors, model_.feed_forward);
      return std::move(unit_);
    }
    replicated(tensors, number(model_.experts.count), model_.hidden, !settings_.sums_up_scores());
    if (model_.experts.shared_feed_forward > 0) mlp(tensors, model_.experts.shared_feed_forward);
    experts();
    return std::move(unit_);
  }

 private:
  using Tensors = std::vector<Tensor>;

  Tensors& start(Unit::Kind kind) {
    unit_ = {.kind = kind, .groups = {TensorGroup{}}};
    return unit_.groups.front().tensors;
  }

  void replicated(Tensors& tensors, std::uint64_t rows, std::uint64_t inner, bool is_summed) const {
    tensors.push_back({.rows = rows, .inner = inner, .is_summed_over_tp = is_summed && tp_ > 1});
  }
  /// With sequence parallelism a rank sees only a part of the tokens, so the gradient is summed.
  void norm(Tensors& tensors, std::uint64_t width) const { replicated(tensors, width, 1, settings_.has_sequence()); }
  /// A matrix whose outputs are split over the tensor group.
  void columns(Tensors& tensors, std::uint64_t inputs, std::uint64_t outputs) const {
    tensors.push_back({.rows = outputs / tp_, .inner = inputs});
  }
  /// A matrix whose inputs are split over the tensor group.
  void rows(Tensors& tensors, std::uint64_t inputs, std::uint64_t outputs) const {
    tensors.push_back({.rows = outputs, .inner = inputs / tp_});
  }
  void mlp(Tensors& tensors, std::uint64_t feed_forward) const {
    columns(tensors, model_.hidden, feed_forward);
    rows(tensors, feed_forward, model_.hidden);
    columns(tensors, model_.hidden, feed_forward);
  }

  /// Every rank of a tensor group has the matrices that compute the narrow vectors, and their norms. The next matrices
  /// are split over the group, so each rank computes a part of the gradients.
  void latent_attention(Tensors& tensors) const {
    const auto& latent = model_.latent;
    if (latent.query_rank > 0) {
      replicated(tensors, latent.query_rank, model_.hidden, true);
      replicated(tensors, latent.query_rank, 1, true);
    }
    columns(tensors, latent.query_rank > 0 ? latent.query_rank : model_.hidden, model_.query_width());
    replicated(tensors, latent.key_rank + latent.rotary_width, model_.hidden, true);
    replicated(tensors, latent.key_rank, 1, true);
    columns(tensors, latent.key_rank, model_.heads * (latent.plain_width + latent.value_width));
  }

  /// Shards hold whole experts, or parts of each expert if there are more ranks than experts.
  void experts() {
    const auto& sizes = settings_.sizes;
    const bool has_own_ranks = sizes.expert > 1;
    if (has_own_ranks) unit_.groups.push_back({.of_experts = true, .tensors = {}});
    const auto count = number(model_.experts.count / sizes.expert), feed_forward = model_.experts.feed_forward,
               hidden = model_.hidden;
    const bool is_cut_inside = settings_.weight_shards(true) * sizes.expert > model_.experts.count;
    const auto add = [&](std::uint64_t outputs, std::uint64_t inputs) {
      unit_.groups.back().tensors.push_back(is_cut_inside ? Tensor{.outer = count, .rows = outputs, .inner = inputs}
                                                          : Tensor{.rows = count, .inner = outputs * inputs});
    };
    const auto width = has_own_ranks ? feed_forward : feed_forward / tp_;
    add(width, hidden);
    add(hidden, width);
    add(width, hidden);
  }

  const Settings& settings_;
  const Transformer& model_;
  std::uint64_t tp_;
  Unit unit_;
};

}  // namespace

std::uint64_t Tensor::padded(int shards) const { return outer * round_up(rows, number(shards)) * inner; }

bool Chunk::has(Unit::Kind kind) const {
  return std::any_of(units.begin(), units.end(), [&](const Unit& unit) { return unit.kind == kind; });
}

std::uint64_t Chunk::tensors(bool of_experts) const {
  std::uint64_t count = 0;
  for (const auto& unit : units) {
    for (const auto& group : unit.groups) count += group.of_experts == of_experts ? group.tensors.size() : 0;
  }
  return count;
}

std::uint64_t Chunk::elements(bool of_experts) const {
  std::uint64_t sum = 0;
  for (const auto& unit : units) {
    for (const auto& group : unit.groups) {
      for (const auto& tensor : group.tensors) sum += group.of_experts == of_experts ? tensor.elements() : 0;
    }
  }
  return sum;
}

/// Layers are spread evenly, with embedding and head counted as layers; the first stages have one more if needed.
Chunk make_chunk(const Settings& settings, int stage) {
  const int stages = settings.stages();
  const bool is_first = stage == 0, is_last = stage + 1 == stages;
  std::uint64_t first = 0, layers = settings.model.layers;
  if (stages > 1) {
    const auto counted = layers + settings.embedding_layers + settings.head_layers;
    const auto each = counted / number(stages), rest = counted % number(stages);
    const auto begin = number(stage) * each + std::min(number(stage), rest);
    const auto end = begin + each + (number(stage) < rest ? 1 : 0);
    const auto layer_at = [&](std::uint64_t counted_at) {
      return std::min(layers, counted_at - std::min(counted_at, settings.embedding_layers));
    };
    first = layer_at(begin);
    layers = layer_at(end) - first;
  }
  Chunk chunk{stage, {}};
  UnitMaker maker(settings);
  if (is_first) chunk.units.push_back(maker.embedding());
  for (auto layer = first; layer < first + layers; ++layer) chunk.units.push_back(maker.layer(layer));
  if (is_last) chunk.units.push_back(maker.head());
  return chunk;
}

std::vector<int> stages_of(const Settings& settings, int rank) {
  if (is_v_shaped(settings.schedule) && settings.sizes.pipeline > 1) return {rank, settings.stages() - 1 - rank};
  std::vector<int> stages;
  for (int stage = rank; stage < settings.stages(); stage += settings.sizes.pipeline) stages.push_back(stage);
  return stages;
}

int rank_of_stage(const Settings& settings, int stage) {
  const int ranks = settings.sizes.pipeline;
  if (is_v_shaped(settings.schedule) && stage >= ranks) return settings.stages() - 1 - stage;
  return stage % ranks;
}

}  // namespace ringmark::replay::torchtitan
