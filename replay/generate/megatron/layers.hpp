// The calls and computations of a model chunk's forward and backward pass.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/layer_work.hpp"
#include "replay/generate/megatron/bucket_calls.hpp"

namespace ringmark::replay::megatron {

class ChunkWalk {
 public:
  /// All must outlive this.
  ChunkWalk(const Settings& settings, const Grid& grid, const Chunk& chunk, const Buffers& buffers)
      : settings_(settings), model_(settings.model), grid_(grid), chunk_(chunk), buffers_(buffers) {}

  Pass forward(Sharing sharing);
  Pass backward(Sharing sharing);

 private:
  bool has_tensor() const { return settings_.sizes.tensor > 1; }
  bool has_sequence() const { return settings_.sizes.shards_sequence && has_tensor(); }
  double tokens() const { return static_cast<double>(settings_.tokens()); }
  double tp() const { return settings_.sizes.tensor; }
  /// Elements of a micro-batch's activations between layers, of all of them even if a rank has a part of the sequence.
  std::uint64_t activations() const { return settings_.tokens() * model_.hidden; }
  double result_width() const { return static_cast<double>(model_.result_width()) / tp(); }
  double element_bytes() const { return static_cast<double>(size_bytes(settings_.type)); }
  double qkv_outputs() const { return static_cast<double>(model_.attention_inputs()) / tp(); }
  double fc1_outputs(std::uint64_t feed_forward, double over) const {
    return static_cast<double>((model_.is_gated ? 2 : 1) * feed_forward) / over;
  }
  /// True if the backward pass uses what this forward pass computes, instead of recomputing it.
  bool keeps_forward(std::uint64_t layer) const;
  bool recomputes(bool module) const;
  template <class Forward>
  void recompute(const Forward& forward) {
    pass_->phase = Phase::recompute;
    forward();
    pass_->phase = Phase::backward;
  }

  void embed();
  void embed_backward();
  void head();
  void head_backward();
  void layer(std::uint64_t index);
  void attention(const std::string& prefix);
  void mlp(const std::string& prefix, const std::string& name, std::uint64_t feed_forward);
  void experts(const std::string& prefix, bool is_kept);
  void layer_backward(std::uint64_t index);
  void attention_backward(const std::string& prefix);
  std::vector<NamedProduct> latent_steps() const { return latent_products(model_, tokens(), local_tokens(), tp()); }
  void mlp_backward(const std::string& prefix, const std::string& name, std::uint64_t feed_forward);
  void experts_backward(const std::string& prefix);
  void all_layers_backward();

  void norm(const std::string& module);
  void norm_backward(const std::string& module);
  /// Bytes that a norm reads and writes, including its weights.
  double norm_bytes() const { return element_bytes() * static_cast<double>(model_.hidden) * (1 + 2 * local_tokens()); }
  void share_queries(Collective collective);
  void attend();
  /// Attention for a share of the rank's queries.
  void core_attention(double share) {
    replay::attend(*pass_, model_, tokens() * share, static_cast<double>(settings_.sequence), tp());
  }
  void attend_in_ring();
  void exchange_context(Collective collective, std::uint64_t elements);
  Product head_product() const {
    return {tokens(), static_cast<double>(model_.hidden), static_cast<double>(model_.vocabulary) / tp()};
  }
  void multiply(const std::string& module, const Product& product) {
    replay::multiply(*pass_, settings_.type, module, product);
  }
  void gather_and_multiply(const std::string& module, const Product& product);
  void multiply_and_sum(const std::string& module, const Product& product);
  void multiply_back(const std::string& module, const Product& product, Gradient gradient, bool has_loss = false) {
    auto& event = replay::multiply_back(*pass_, settings_.type, module, product, gradient, has_loss);
    if (gradient == Gradient::of_weights) event.memory_bytes += accumulation_bytes() * product.inputs * product.outputs;
  }
  /// Bytes per weight that a product's gradient takes in addition, since each micro-batch adds it to the buffer of
  /// gradients.
  double accumulation_bytes() const {
    return 2 * static_cast<double>(size_bytes(settings_.gradient_type)) - element_bytes();
  }
  /// A column-parallel product's backward pass: its input is gathered again, and the input's gradient is summed up,
  /// alongside the two products.
  void columns_backward(const std::string& module, const Product& product, bool has_loss = false);
  /// A row-parallel product's backward pass: the output's gradient is gathered before the products.
  void rows_backward(const std::string& module, const Product& product);
  std::optional<int> over_tensor(Collective collective, bool is_async = false);
  double local_tokens() const { return has_sequence() ? tokens() / tp() : tokens(); }

  // Experts.
  double routed_tokens() const;
  std::uint64_t sent() const;
  bool has_dispatch() const { return grid_.size(Over::expert_tensor_and_expert) > 1; }
  void route() {
    const bool is_in_graph =
        settings_.graphs == Graphs::steps || (settings_.graphs == Graphs::layers && settings_.pads_experts);
    replay::route(*pass_, settings_.type, model_, local_tokens(), is_in_graph);
  }
  void count_choices();
  void dispatch();
  void combine();
  void combine_backward();
  void dispatch_backward();
  void exchange(std::uint64_t elements, DataType type);
  void over_expert_tensor(Collective collective, std::uint64_t elements, DataType type);

  /// Recomputation needs no calls, since weights are already gathered.
  void need(const std::string& module) {
    if (pass_->phase != Phase::recompute) buckets_->need(module);
  }
  void complete(const std::string& module) { buckets_->complete(module); }

  const Settings& settings_;
  const Transformer& model_;
  const Grid& grid_;
  const Chunk& chunk_;
  const Buffers& buffers_;
  // Of the pass that is being built:
  PassBuilder* pass_ = nullptr;
  BucketCalls* buckets_ = nullptr;
};

}  // namespace ringmark::replay::megatron
