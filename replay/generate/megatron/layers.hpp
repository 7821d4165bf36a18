// The calls and computations of a model chunk's forward and backward pass.
#pragma once

#include <utility>

#include "replay/generate/megatron/buckets.hpp"
#include "replay/generate/megatron/pass_builder.hpp"

namespace ringmark::replay::megatron {

/// Which communication of weights and gradients a pass contains.
struct Sharing {
  bool gathers = false;  ///< weights are gathered as modules need them
  bool reduces = false;  ///< gradients are reduced as buckets fill
};

/// Of an element in 16-bit training.
constexpr double bytes = 2;

class ChunkWalk {
 public:
  /// All live longer than this.
  ChunkWalk(const Settings& settings, const Grid& grid, const Chunk& chunk, const Buffers& buffers)
      : settings_(settings), model_(settings.model), grid_(grid), chunk_(chunk), buffers_(buffers) {}

  Pass forward(Sharing sharing);
  Pass backward(Sharing sharing);

 private:
  struct Product {
    double rows = 0, inputs = 0, outputs = 0;
  };

  bool has_tensor() const { return settings_.sizes.tensor > 1; }
  bool has_sequence() const { return settings_.sizes.shards_sequence && has_tensor(); }
  double tokens() const { return static_cast<double>(settings_.tokens()); }
  double tp() const { return settings_.sizes.tensor; }
  /// Activations of a micro-batch between layers: all of them, whatever part of the sequence a rank has.
  std::uint64_t activations() const { return settings_.tokens() * model_.hidden; }
  double result_width() const { return static_cast<double>(model_.result_width()) / tp(); }
  double qkv_outputs() const { return static_cast<double>(model_.attention_inputs()) / tp(); }
  double fc1_outputs(std::uint64_t feed_forward, double over) const {
    return static_cast<double>((model_.is_gated ? 2 : 1) * feed_forward) / over;
  }
  bool is_recomputed(std::uint64_t layer) const;
  /// The backward pass uses what this forward pass computes, instead of computing it again.
  bool keeps_forward(std::uint64_t layer) const;
  bool recomputes(bool module) const;
  template <class Forward>
  void recompute(const Forward& forward) {
    pass_->phase = Phase::recompute;
    const auto sharing = std::exchange(sharing_, {});
    forward();
    sharing_ = sharing;
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
  struct Step {
    std::string module;
    Product product;
  };
  /// The products of latent attention's queries, keys and values.
  std::vector<Step> latent_steps() const;
  void mlp_backward(const std::string& prefix, const std::string& name, std::uint64_t feed_forward);
  void experts_backward(const std::string& prefix);
  void all_layers_backward();

  void norm(const std::string& module);
  void norm_backward(const std::string& module);
  /// Read, and written; the weights as well.
  double norm_bytes() const { return bytes * static_cast<double>(model_.hidden) * (1 + 2 * local_tokens()); }
  void share_queries(Collective collective);
  void attend();
  void core_attention(double share);
  void attend_in_ring();
  void exchange_context(Collective collective, std::uint64_t elements);
  void multiply(const std::string& module, const Product& product);
  void gather_and_multiply(const std::string& module, const Product& product);
  void multiply_and_sum(const std::string& module, const Product& product);
  void add_product(const Product& product, const char* what, bool is_of_weights, bool has_loss = false);
  /// A column-parallel product's backward pass: its input is gathered again, and the input's gradient is summed up,
  /// beside the two products.
  void columns_backward(const std::string& module, const Product& product, bool has_loss = false);
  /// A row-parallel one's: the output's gradient is gathered before the products.
  void rows_backward(const std::string& module, const Product& product);
  std::optional<int> over_tensor(Collective collective, bool is_async = false);
  double local_tokens() const { return has_sequence() ? tokens() / tp() : tokens(); }

  // Experts.
  double routed_tokens() const;
  std::uint64_t sent() const;
  bool has_dispatch() const { return grid_.size(Over::expert_tensor_and_expert) > 1; }
  void route(bool is_backward);
  void count_choices();
  void dispatch();
  void combine();
  void combine_backward();
  void dispatch_backward();
  void exchange(std::uint64_t elements, DataType type);
  void over_expert_tensor(Collective collective, std::uint64_t elements, DataType type);

  /// Weights that the module needs are there, and the next bucket is on its way.
  void need(const std::string& module);
  void gather(std::size_t buffer, std::size_t bucket);
  /// The module's gradients are complete.
  void complete(const std::string& module);
  std::optional<int> launch_of(std::size_t buffer) const;

  const Settings& settings_;
  const Transformer& model_;
  const Grid& grid_;
  const Chunk& chunk_;
  const Buffers& buffers_;
  // of the pass that is being made
  PassBuilder* pass_ = nullptr;
  Sharing sharing_;
  std::vector<std::vector<std::optional<int>>> gathers_;  ///< by buffer and bucket: the call, once it is issued
  std::vector<std::vector<bool>> is_issued_, is_waited_for_;
  std::vector<std::vector<int>> missing_;  ///< by buffer and bucket: tensors without a gradient
};

/// A bucket's reduction, and over instances of the optimizer.
void reduce(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
            std::optional<int> batch = {});
/// The weights of one.
std::optional<int> gather(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
                          std::optional<int> batch = {});

}  // namespace ringmark::replay::megatron
