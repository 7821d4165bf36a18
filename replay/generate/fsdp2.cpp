// PyTorch's fully_shard, the second FSDP.

#include <algorithm>

#include "replay/generate/frameworks.hpp"
#include "replay/generate/fsdp_hooks.hpp"

namespace ringmark::replay {
namespace {

struct Fsdp2UnitState {
  enum class State { sharded, kept_by_some, gathered };

  std::string name;
  std::uint64_t elements = 0, trained = 0;  ///< with the rows that pad tensors; trained: those that get a gradient
  bool has_input_gradient = false;
  bool reshards = true;
  std::optional<int> kept_by;  ///< the group within which it is gathered again
  State state = State::sharded;
  std::optional<int> gather;  ///< that nothing has waited for yet; -1: of an earlier step
  bool ran_pre_backward = false, ran_post_backward = false;
};

/// Each tensor of a unit is sharded by rows. A unit is gathered in one call; its trained tensors are reduced in one.
class Fsdp2 final : public FsdpHooks<Fsdp2UnitState> {
  using Unit = Fsdp2UnitState;
  using State = Unit::State;

 public:
  Fsdp2(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : FsdpHooks(model, settings, builder),
        ends_by_state_(settings.framework.is_before(2, 6, 0)),
        waits_for_scatter_(!settings.framework.is_before(2, 5, 0)) {
    const auto gets = gets_gradient(model);
    const auto units = fsdp_units(model, settings.sharding.wraps_root_only);
    for (const auto& unit : units) {
      auto& added = units_[unit.module];
      order_.push_back(&added);
      added.name = unit.name;
      for (const int index : unit.parameters) {
        const auto rows = rows_of_shards(index);
        added.elements += rows;
        if (gets[static_cast<std::size_t>(index)]) added.trained += rows;
      }
      added.has_input_gradient = gradients_.has_input_gradient(*unit.module);
      decide_reshard(added, unit.module == &model.forward);
    }
  }

  void begin_micro_step(int micro_step) override {
    FsdpHooks::begin_micro_step(micro_step);
    last_scatter_.reset();
    copied_out_ = before_last_ = builder_.last(0);
    for (auto* unit : order_) {
      unit->ran_post_backward = false;
      if (micro_step == 0) unit->gather = unit->gather ? std::optional(-1) : std::nullopt;  // of an earlier step
    }
  }

  /// The backward pass of the root, and of units whose input needs no gradient, ends with that of the whole model.
  void end_micro_step(int /*micro_step*/) override {
    for (auto* unit : order_) {
      if (ends_by_state_ ? unit->state == State::gathered : !unit->ran_post_backward) end_backward(*unit);
      // A unit that was gathered ahead and not needed.
      if (!ends_by_state_ && unit->gather) {
        wait_for_event(*unit);
        unit->gather.reset();
      }
    }
    builder_.wait(0, collectives_.reductions());
  }

  void optimizer_step() override {
    // From 2.12 on, PyTorch reduces the norms of all tensors and then sums them; earlier versions reduce their sum.
    const auto gets = gets_gradient(model_);
    const auto tensors = static_cast<std::uint64_t>(std::count(gets.begin(), gets.end(), true));
    const bool clips = settings_.clips_gradients.value_or(true);
    if (clips) collectives_.norm(settings_.framework.is_before(2, 12, 0) ? 1 : tensors);
    add_adam(builder_, static_cast<double>(model_.trained_elements()) / settings_.shard_degree(), clips);
  }

 private:
  void before_forward(Unit& unit) override {
    gather(unit, before_last_);
    wait_for(unit);
    before_last_ = copied_out_;
    copied_out_ = builder_.last(0);
  }

  void after_forward(const Module& /*module*/, Unit& unit) override {
    if (unit.reshards) unit.state = unit.kept_by ? State::kept_by_some : State::sharded;
  }

  void before_backward(Unit& unit) override {
    gather(unit, builder_.last(0));
    wait_for(unit);
    // The unit whose forward pass ended before is gathered whether or not the backward pass needs it.
    if (auto* before = executed_before(unit)) gather(*before, builder_.last(0));
  }

  void after_backward(Unit& unit) override {
    if (unit.has_input_gradient) end_backward(unit);
  }

  /// Elements of the tensor, padded so that all ranks have the same number of rows.
  std::uint64_t rows_of_shards(int index) const {
    const auto& shape = model_.parameters[static_cast<std::size_t>(index)].shape;
    std::uint64_t elements =
        round_up(shape.empty() ? 1 : shape.front(), static_cast<std::uint64_t>(settings_.shard_degree()));
    for (std::size_t i = 1; i < shape.size(); ++i) elements *= shape[i];
    return elements;
  }

  /// Before 2.8, the root never frees its weights.
  void decide_reshard(Unit& unit, bool is_root) {
    const auto& wanted = settings_.sharding.reshard_after_forward;
    if (is_root && (!wanted || settings_.framework.is_before(2, 8, 0))) {
      unit.reshards = false;
    } else if (wanted && std::holds_alternative<bool>(*wanted)) {
      unit.reshards = std::get<bool>(*wanted);
    } else if (wanted) {
      unit.kept_by = builder_.group({"reshard", Group::Kind::block, std::get<int>(*wanted)});
    }
  }

  /// No-op for a unit that is gathered, or is being gathered.
  void gather(Unit& unit, int after) {
    if (unit.gather || unit.state == State::gathered) return;
    const int group = unit.state == State::kept_by_some ? *unit.kept_by : collectives_.shard_group();
    unit.gather = collectives_.gather(unit.name, unit.elements, group, after);
  }

  void wait_for(Unit& unit) {
    if (!unit.gather) return;
    wait_for_event(unit);
    unit.gather.reset();
    unit.state = State::gathered;
    // The gathered rows are copied out to the tensors.
    copy(2.0 * static_cast<double>(size_bytes(settings_.type)), unit.elements, "copy out");
  }
  /// One rank needs no copies.
  void copy(double bytes_per_element, std::uint64_t elements, const char* tag) {
    if (settings_.shard_degree() > 1) builder_.copy(0, bytes_per_element * static_cast<double>(elements), tag);
  }
  void wait_for_event(const Unit& unit) { builder_.wait(0, {*unit.gather}); }

  void end_backward(Unit& unit) {
    unit.ran_post_backward = true;
    unit.state = State::sharded;
    if (!syncs_ || unit.trained == 0) return;
    // The input of a reduce_scatter is freed before the next one is filled.
    if (waits_for_scatter_ && last_scatter_) builder_.wait(0, {*last_scatter_});
    copy(static_cast<double>(size_bytes(settings_.type) + size_bytes(settings_.gradient_type())), unit.trained,
         "copy in");
    last_scatter_ = collectives_.scatter(unit.name, unit.trained);
  }

  bool ends_by_state_;        ///< before 2.6: the end of the backward pass looks for gathered units
  bool waits_for_scatter_;    ///< from 2.5 on
  std::vector<Unit*> order_;  ///< the root first
  // state of the current micro-step
  std::optional<int> last_scatter_;
  int copied_out_ = -1, before_last_ = -1;  ///< a unit may be gathered once the second to last has been copied out
};

}  // namespace

std::unique_ptr<StepHooks> make_fsdp2(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Fsdp2>(model, settings, builder);
}

}  // namespace ringmark::replay
