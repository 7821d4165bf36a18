// The calls and computations of a chunk's forward and backward pass.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "replay/generate/layer_work.hpp"
#include "replay/generate/torchtitan/schedule.hpp"
#include "replay/generate/torchtitan/sharded_weights.hpp"

namespace ringmark::replay::torchtitan {

class ChunkPasses {
 public:
  /// All must outlive this.
  ChunkPasses(const Settings& settings, const Grid& grid, const Chunk& chunk)
      : settings_(settings), model_(settings.model), grid_(grid), chunk_(chunk), weights_(settings, chunk) {}

  /// Includes the loss if the chunk has the head.
  Pass forward();
  /// `kind` is one of the backward passes.
  Pass backward(Action::Kind kind);
  /// `kind` is unshard, reshard or reduce_gradients.
  Pass manage(Action::Kind kind);
  const ShardedWeights& weights() const { return weights_; }

 private:
  enum class Part { nothing, all, input, weights };

  void start(const char* name, Phase phase, Part part = Part::all);
  Part part_of(Action::Kind kind) const;
  double tokens() const { return static_cast<double>(settings_.tokens()); }
  double tp() const { return settings_.sizes.tensor; }
  /// Tokens that a rank has between layers.
  double local_tokens() const { return settings_.has_sequence() ? tokens() / tp() : tokens(); }
  static double real(std::uint64_t value) { return static_cast<double>(value); }
  double hidden() const { return real(model_.hidden); }
  bool is_recomputing() const { return pass_->phase == Phase::recompute; }
  bool has_input_gradients() const { return part_ != Part::weights || is_recomputing(); }
  bool has_weight_gradients() const { return part_ != Part::input; }

  void embed();
  void embed_backward();
  void loss();
  void loss_chunk();
  void head_backward();
  void layer(const Unit& unit);
  void recompute(const Unit& unit);
  void recompute_some(const Unit& unit);
  void layer_backward(const Unit& unit);
  /// A product's two gradients, or the one that this pass computes.
  void multiply_back(const std::string& module, const Product& product);
  /// The products before attention, and those of an MLP before its last one.
  std::vector<NamedProduct> attention_steps() const;
  std::vector<NamedProduct> mlp_steps(std::uint64_t feed_forward) const;
  void steps_backward(const std::vector<NamedProduct>& steps);
  /// Without the call before the MLP, and the one after its backward pass.
  void mlp(std::uint64_t feed_forward);
  void mlp_backward(std::uint64_t feed_forward);
  void attention();
  void attention_backward();
  void attend();
  void exchange_context(Collective collective);
  Product attention_output() const { return {tokens(), real(model_.result_width()) / tp(), hidden()}; }
  Product mlp_output(std::uint64_t feed_forward) const { return {tokens(), real(feed_forward) / tp(), hidden()}; }
  void norm();
  void norm_backward();
  /// A layer's experts, including those that all tokens share.
  void all_experts();
  void all_experts_backward();
  void experts();
  void experts_backward();
  Product expert_product() const;
  void exchange_tokens();

  /// spread() gets the whole sequence before a column-parallel product; sum_up() sums the results of a row-parallel
  /// one. In the backward pass it is the other way round.
  void spread();
  void sum_up();
  void spread_backward();
  /// Activations are recomputed after the first call of a layer's backward pass.
  void sum_up_backward();
  void over_tensor(Collective collective);

  const Settings& settings_;
  const Transformer& model_;
  const Grid& grid_;
  const Chunk& chunk_;
  ShardedWeights weights_;
  // Of the pass that is being built:
  Part part_ = Part::all;
  Pass made_;
  std::optional<PassBuilder> pass_;
  std::function<void()> recompute_;  ///< recomputes the layer; empty if that is done
};

}  // namespace ringmark::replay::torchtitan
