#include <utility>

#include "replay/generate/megatron/layers.hpp"

namespace ringmark::replay::megatron {

Pass ChunkWalk::backward(Sharing sharing) {
  Pass pass{"backward", std::nullopt, {}};
  PassBuilder builder(grid_, pass);
  builder.phase = Phase::backward;
  BucketCalls buckets(settings_, buffers_, sharing, builder);
  pass_ = &builder;
  buckets_ = &buckets;
  if (chunk_.place.has_head) head_backward();
  all_layers_backward();
  if (chunk_.place.has_embedding) embed_backward();
  return pass;
}

void ChunkWalk::all_layers_backward() {
  const auto layers = chunk_.place.layers;
  const auto group = settings_.recomputed_together();
  for (auto end = layers; end > 0;) {
    const auto begin = (end - 1) / group * group;
    if (settings_.is_recomputed(begin)) {
      recompute([&] {
        if (settings_.distributes_activations) over_tensor(Collective::all_gather);
        for (auto index = begin; index < end; ++index) layer(index);
      });
    }
    for (auto index = end; index > begin; --index) layer_backward(index - 1);
    end = begin;
  }
}

void ChunkWalk::embed_backward() {
  if (has_sequence()) over_tensor(Collective::all_gather);
  if (model_.positions > 0) complete("positions");
  pass_->compute(0, element_bytes() * 4 * tokens() * static_cast<double>(model_.hidden), "embedding");
  complete("embedding");
}

void ChunkWalk::head_backward() {
  columns_backward("head", head_product(), true);
  // A tied matrix gets the rest of its gradient from the embedding.
  if (!(model_.is_tied && settings_.sizes.pipeline == 1)) complete("head");
  norm_backward("final_norm");
}

void ChunkWalk::layer_backward(std::uint64_t index) {
  const auto prefix = layer_prefix(index);
  if (model_.has_experts(chunk_.place.first_layer + index)) {
    if (recomputes(settings_.recomputes_experts)) recompute([&] { experts(prefix, true); });
    experts_backward(prefix);
  } else {
    if (recomputes(settings_.recomputes_mlp)) recompute([&] { mlp(prefix, "", model_.feed_forward); });
    mlp_backward(prefix, "", model_.feed_forward);
  }
  norm_backward(prefix + "mlp_norm");
  attention_backward(prefix);
}

void ChunkWalk::attention_backward(const std::string& prefix) {
  rows_backward("proj", {tokens(), result_width(), static_cast<double>(model_.hidden)});
  complete(prefix + "proj");
  if (recomputes(settings_.recomputes_attention)) recompute([&] { attend(); });
  attend();
  if (model_.has_head_norms) {
    complete(prefix + "k_norm");
    complete(prefix + "q_norm");
  }
  if (model_.latent.key_rank > 0) {
    const auto steps = latent_steps();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      rows_backward(step->module, step->product);
      complete(prefix + step->module);
    }
  } else {
    share_queries(Collective::reduce_scatter);
    columns_backward("qkv", {tokens(), static_cast<double>(model_.hidden), qkv_outputs()});
    complete(prefix + "qkv");
  }
  norm_backward(prefix + "input_norm");
}

void ChunkWalk::mlp_backward(const std::string& prefix, const std::string& name, std::uint64_t feed_forward) {
  rows_backward("fc2", {tokens(), static_cast<double>(feed_forward) / tp(), static_cast<double>(model_.hidden)});
  complete(prefix + name + "fc2");
  columns_backward("fc1", {tokens(), static_cast<double>(model_.hidden), fc1_outputs(feed_forward, tp())});
  complete(prefix + name + "fc1");
}

/// Autograd launches a norm's backward pass itself. That of linear layers is in Python, with a launch for each product.
void ChunkWalk::norm_backward(const std::string& module) {
  pass_->compute(0, 2 * norm_bytes(), "norm").is_launched = false;
  complete(module);
}

void ChunkWalk::columns_backward(const std::string& module, const Product& product, bool has_loss) {
  const auto gathered = has_sequence() ? over_tensor(Collective::all_gather, true) : std::nullopt;
  multiply_back(module, product, Gradient::of_input, has_loss);
  pass_->wait(gathered);
  const auto summed = over_tensor(has_sequence() ? Collective::reduce_scatter : Collective::all_reduce, true);
  multiply_back(module, product, Gradient::of_weights);
  pass_->wait(summed);
}

void ChunkWalk::rows_backward(const std::string& module, const Product& product) {
  const bool is_async = settings_.overlaps_tensor_calls;
  const auto gathered = has_sequence() ? over_tensor(Collective::all_gather, is_async) : std::nullopt;
  multiply_back(module, product, Gradient::of_input);
  if (is_async) pass_->wait(gathered);
  multiply_back(module, product, Gradient::of_weights);
}

}  // namespace ringmark::replay::megatron
