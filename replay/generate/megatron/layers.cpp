#include "replay/generate/megatron/layers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ringmark::replay::megatron {

Pass ChunkWalk::forward(Sharing sharing) {
  Pass pass{"forward", std::nullopt, {}};
  PassBuilder builder(grid_, pass);
  BucketCalls buckets(settings_, buffers_, sharing, builder);
  pass_ = &builder;
  buckets_ = &buckets;
  if (chunk_.place.has_embedding) embed();
  for (std::uint64_t index = 0; index < chunk_.place.layers; ++index) layer(index);
  if (chunk_.place.has_head) head();
  return pass;
}

void ChunkWalk::embed() {
  need("embedding");
  const double hidden = static_cast<double>(model_.hidden);
  pass_->compute(0, element_bytes() * 2 * tokens() * hidden, "embedding");
  if (has_sequence() && model_.positions == 0) {
    over_tensor(Collective::reduce_scatter);
  } else {
    over_tensor(Collective::all_reduce);
  }
  if (model_.positions > 0) need("positions");
}

void ChunkWalk::head() {
  norm("final_norm");
  const bool is_tied_here = model_.is_tied && settings_.sizes.pipeline == 1;
  need(is_tied_here ? "embedding" : "head");
  if (has_sequence()) over_tensor(Collective::all_gather);
  replay::multiply(*pass_, settings_.type, "head", head_product(), true);
  const auto reduce_loss = [&](ReduceOp op, std::uint64_t elements) {
    pass_->call({.elements = elements, .type = DataType::float32, .over = Over::tensor, .op = op, .tag = "loss"});
  };
  const auto rows = settings_.tokens();
  reduce_loss(ReduceOp::max, rows);
  if (settings_.fuses_loss) return reduce_loss(ReduceOp::sum, 2 * rows);
  for (int sum = 0; sum < 2; ++sum) reduce_loss(ReduceOp::sum, rows);
}

void ChunkWalk::layer(std::uint64_t index) {
  const auto prefix = layer_prefix(index);
  attention(prefix);
  norm(prefix + "mlp_norm");
  if (model_.has_experts(chunk_.place.first_layer + index)) {
    experts(prefix, keeps_forward(index));
  } else {
    mlp(prefix, "", model_.feed_forward);
  }
}

bool ChunkWalk::keeps_forward(std::uint64_t layer) const {
  return pass_->phase == Phase::recompute ||
         !(settings_.is_recomputed(layer) || recomputes(settings_.recomputes_experts));
}

bool ChunkWalk::recomputes(bool module) const {
  return module && settings_.recompute.kind == Recompute::Kind::selective;
}

void ChunkWalk::attention(const std::string& prefix) {
  norm(prefix + "input_norm");
  if (model_.latent.key_rank > 0) {
    for (const auto& [module, product] : latent_steps()) {
      need(prefix + module);
      multiply(module, product);
    }
    if (has_sequence()) over_tensor(Collective::all_gather);
  } else {
    need(prefix + "qkv");
    gather_and_multiply("qkv", {tokens(), static_cast<double>(model_.hidden), qkv_outputs()});
    share_queries(Collective::all_gather);
  }
  if (model_.has_head_norms) {
    need(prefix + "q_norm");
    need(prefix + "k_norm");
  }
  attend();
  need(prefix + "proj");
  multiply_and_sum("proj", {tokens(), result_width(), static_cast<double>(model_.hidden)});
}

/// If there are fewer groups of queries than ranks, each rank gets all groups and takes its part.
void ChunkWalk::share_queries(Collective collective) {
  if (model_.key_heads >= static_cast<std::uint64_t>(settings_.sizes.tensor)) return;
  pass_->call({.collective = collective,
               .elements = settings_.tokens() * (model_.heads + 2 * model_.key_heads) * model_.head_width,
               .type = settings_.type,
               .over = Over::tensor,
               .tag = "qkv"});
}

void ChunkWalk::mlp(const std::string& prefix, const std::string& name, std::uint64_t feed_forward) {
  need(prefix + name + "fc1");
  gather_and_multiply("fc1", {tokens(), static_cast<double>(model_.hidden), fc1_outputs(feed_forward, tp())});
  need(prefix + name + "fc2");
  multiply_and_sum("fc2", {tokens(), static_cast<double>(feed_forward) / tp(), static_cast<double>(model_.hidden)});
}

void ChunkWalk::norm(const std::string& module) {
  need(module);
  pass_->compute(0, norm_bytes(), "norm");
}

/// A column-parallel product.
void ChunkWalk::gather_and_multiply(const std::string& module, const Product& product) {
  const bool is_async = settings_.overlaps_tensor_calls;
  const auto gathered = has_sequence() ? over_tensor(Collective::all_gather, is_async) : std::nullopt;
  multiply(module, product);
  if (is_async) pass_->wait(gathered);
}

/// A row-parallel product, whose parts are summed up.
void ChunkWalk::multiply_and_sum(const std::string& module, const Product& product) {
  const auto collective = has_sequence() ? Collective::reduce_scatter : Collective::all_reduce;
  if (!settings_.overlaps_tensor_calls) {
    multiply(module, product);
    over_tensor(collective);
    return;
  }
  const auto summed = over_tensor(collective, true);
  multiply(module, product);
  pass_->wait(summed);
}

std::optional<int> ChunkWalk::over_tensor(Collective collective, bool is_async) {
  return pass_->call({.collective = collective,
                      .elements = activations(),
                      .type = settings_.type,
                      .over = Over::tensor,
                      .is_async = is_async});
}

}  // namespace ringmark::replay::megatron
