// The weights of a chunk as fully_shard keeps them: which unit is gathered, and when, and when its gradients are
// reduced. It remembers from pass to pass.
#pragma once

#include <optional>
#include <vector>

#include "replay/generate/pass_builder.hpp"
#include "replay/generate/torchtitan/chunk.hpp"

namespace ringmark::replay::torchtitan {

class ShardedWeights {
 public:
  /// All must outlive this.
  ShardedWeights(const Settings& settings, const Chunk& chunk);

  /// Later calls add their events to this pass.
  void begin_pass(PassBuilder& pass);

  void before_forward(std::size_t unit);
  void after_forward(std::size_t unit);
  /// Norm and head are one unit; the forward pass runs only its norm.
  void end_forward();
  /// The head and its backward pass run for each chunk of the loss. Its gradient is reduced right after the loss.
  void begin_loss();
  void end_loss();
  void before_backward(std::size_t unit);
  /// `has_gradients` is false if only the gradients of the unit's input were computed.
  void after_backward(std::size_t unit, bool has_gradients = true);
  /// Call it only in a step without a pipeline.
  void end_backward() { forget_order(); }

  /// What a pipeline's schedule does with all units.
  void unshard();
  void reshard();
  void reduce_gradients();

  /// Tensors that had a gradient so far.
  std::uint64_t tensors_with_gradient(bool of_experts) const;

 private:
  struct GroupState {
    enum class Weights { sharded, in_flight, gathered };

    Weights weights = Weights::sharded;
    std::optional<int> call;         ///< that gathers the weights, if it is in this pass
    std::vector<std::size_t> order;  ///< places in the order of forward passes that no backward pass has used
  };
  struct UnitState {
    const Unit* unit = nullptr;
    bool reshards_after_forward = true;
    bool is_pending = false;                               ///< gradients are reduced at the end of the schedule
    bool has_gradient = false, has_head_gradient = false;  ///< that is not reduced yet
    bool had_gradient = false;
    std::vector<GroupState> groups;
  };
  struct Place {
    std::size_t unit, group;
  };

  bool has_pipeline() const { return settings_.sizes.pipeline > 1; }
  bool prefetches_explicitly(std::size_t unit) const;
  int shards(const UnitState& unit, std::size_t group) const;
  void gather(std::size_t unit, std::size_t group, std::vector<int> after = {});
  void gather_all(std::size_t unit);
  void wait_for(std::size_t unit, std::size_t group);
  void prefetch_before(std::size_t unit, std::size_t group);
  static void give_up(UnitState& unit);
  void reduce(UnitState& unit);
  void reduce(const TensorGroup& group, int shards, const UnitState& unit);
  void forget_order();

  const Settings& settings_;
  const Chunk& chunk_;
  std::vector<UnitState> units_;
  std::vector<Place> order_;  ///< of forward passes
  // Of the pass that is being built:
  PassBuilder* pass_ = nullptr;
  std::vector<int> copied_out_;  ///< waits for gathered units
};

}  // namespace ringmark::replay::torchtitan
