// PyTorch's FullyShardedDataParallel.

#include <algorithm>
#include <utility>

#include "replay/generate/frameworks.hpp"
#include "replay/generate/fsdp_hooks.hpp"

namespace ringmark::replay {
namespace {

struct FsdpUnitState {
  std::string name;
  std::uint64_t elements = 0;  ///< of the flat tensor
  int trained = 0;             ///< tensors that get a gradient
  int missing = 0;             ///< trained tensors without a gradient yet in the current micro-step
  bool is_gathered = false, is_prefetched = false;
  bool needs_forward = false, needs_backward = false;  ///< may be prefetched
  bool ran_pre_backward = false;
  const FsdpUnitState* opened_before = nullptr;  ///< the unit whose forward pass prefetched this one
  std::optional<int> gather;                     ///< that nothing has waited for yet
};

/// A unit is one flat tensor that is gathered as a whole, and reduced as a whole if it is trained. The root stays
/// gathered after its forward pass.
class Fsdp final : public FsdpHooks<FsdpUnitState> {
  using Unit = FsdpUnitState;

 public:
  Fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder, std::uint64_t trained)
      : FsdpHooks(model, settings, builder),
        sharding_(settings.sharding),
        shards_(sharding_.strategy != ShardingStrategy::no_shard),
        trained_elements_(trained),
        unit_of_(model.parameters.size()) {
    const auto gets = gets_gradient(model);
    for (const auto& unit : fsdp_units(model, sharding_.wraps_root_only)) {
      auto& added = units_[unit.module];
      added.name = unit.name;
      added.elements = flat_elements(unit);
      for (const int index : unit.parameters) {
        unit_of_[static_cast<std::size_t>(index)] = &added;
        added.trained += gets[static_cast<std::size_t>(index)] ? 1 : 0;
      }
    }
  }

  void begin_micro_step(int micro_step) override {
    FsdpHooks::begin_micro_step(micro_step);
    for (auto& [module, unit] : units_) {
      unit.missing = unit.trained;
      unit.is_prefetched = false;
      unit.needs_forward = sharding_.forward_prefetch;
      unit.needs_backward = false;
      unit.opened_before = nullptr;
    }
  }

  void gradient_ready(int parameter) override {
    auto* unit = unit_of_[static_cast<std::size_t>(parameter)];
    if (unit == nullptr || --unit->missing > 0) return;
    if (unit->opened_before != nullptr) return unreduced_.push_back(unit);
    reduce_open();
    reduce(*unit);
  }

  void end_micro_step(int /*micro_step*/) override {
    reduce_open();
    for (auto& [module, unit] : units_) {
      if (unit.is_gathered) reshard(unit, frees_in_backward());
      unit.gather.reset();
    }
    if (first_order_.empty()) first_order_ = entered_;
    auto ends = collectives_.reductions();
    ends.push_back(builder_.last(0));
    builder_.host_sync(ends);
  }

  void optimizer_step() override {
    const bool clips = settings_.clips_gradients.value_or(true);
    if (clips && shards_) collectives_.norm();
    add_adam(builder_, static_cast<double>(trained_elements_) / settings_.shard_degree(), clips);
  }

 private:
  /// From 2.1 on, each of the original parameters begins at a multiple of 16 bytes.
  std::uint64_t flat_elements(const FsdpUnit& unit) const {
    const auto ranks = static_cast<std::uint64_t>(shards_ ? settings_.shard_degree() : settings_.ranks);
    const bool aligns = sharding_.use_orig_params && !settings_.framework.is_before(2, 1, 0);
    constexpr std::uint64_t alignment_bytes = 16;
    const std::uint64_t alignment = aligns ? alignment_bytes / size_bytes(settings_.type) : 1;
    std::uint64_t elements = 0;
    for (const int index : unit.parameters)
      elements = round_up(elements, alignment) + model_.parameters[static_cast<std::size_t>(index)].elements();
    return shards_ || aligns ? round_up(elements, ranks) : elements;
  }

  void before_forward(Unit& unit) override {
    if (first_order_.empty()) entered_.push_back(&unit);
    if (!unit.is_prefetched) gather(unit);
    unit.needs_forward = false;
    wait_for(unit);
    if (!sharding_.forward_prefetch) return;
    const auto at = std::find(first_order_.begin(), first_order_.end(), &unit);
    if (at == first_order_.end() || at + 1 == first_order_.end()) return;
    auto& next = **(at + 1);
    if (!next.needs_forward || next.is_prefetched) return;
    prefetch(next);
    next.opened_before = &unit;
  }

  void after_forward(const Module& module, Unit& unit) override {
    reshard(unit, &module != &model_.forward && sharding_.strategy_reshards());
    unit.needs_backward = gradients_.has_output_gradient(module);
  }

  void after_backward(Unit& unit) override {
    if (unit.trained == 0) end_backward(unit);
  }

  void before_backward(Unit& unit) override {
    reduce_open(&unit);
    if (unit.needs_backward && !unit.is_prefetched) gather(unit);
    wait_for(unit);
    unit.needs_backward = false;
    if (sharding_.backward_prefetch == BackwardPrefetch::pre) prefetch_before(unit);
  }

  void reduce(Unit& unit) {
    end_backward(unit);
    if (!syncs_) return;
    if (shards_) {
      collectives_.scatter(unit.name, unit.elements);
    } else {
      collectives_.all_reduce(unit.name, unit.elements);
    }
  }

  /// Autograd reverses the order of the forward pass's operations: a unit that was prefetched comes after the unit
  /// whose forward pass prefetched it.
  void reduce_open(const Unit* about_to_begin = nullptr) {
    const auto open = std::exchange(unreduced_, {});
    for (auto* unit : open) {
      if (about_to_begin != nullptr && unit->opened_before == about_to_begin) {
        unreduced_.push_back(unit);
      } else {
        reduce(*unit);
      }
    }
  }

  void end_backward(Unit& unit) {
    reshard(unit, frees_in_backward());
    if (sharding_.backward_prefetch == BackwardPrefetch::post) prefetch_before(unit);
  }

  bool frees_in_backward() const { return shards_ && (syncs_ || sharding_.strategy_reshards()); }

  void reshard(Unit& unit, bool frees) {
    unit.is_prefetched = false;
    if (frees) unit.is_gathered = false;
  }

  void gather(Unit& unit) {
    if (!shards_ || unit.is_gathered) return;
    unit.gather = collectives_.gather(unit.name, unit.elements, collectives_.shard_group(), builder_.last(0));
    unit.is_gathered = true;
  }

  void wait_for(Unit& unit) {
    if (unit.gather) builder_.wait(0, {*unit.gather});
    unit.gather.reset();
  }

  void prefetch(Unit& unit) {
    gather(unit);
    unit.is_prefetched = true;
  }

  void prefetch_before(const Unit& unit) {
    auto* before = executed_before(unit);
    if (before != nullptr && before->needs_backward && !before->is_prefetched) prefetch(*before);
  }

  const Sharding& sharding_;
  bool shards_;
  std::uint64_t trained_elements_;
  std::vector<Unit*> unit_of_;
  std::vector<Unit*> entered_, first_order_;  ///< forward passes of the first micro-step, which later ones follow
  // state of the current micro-step
  std::vector<Unit*> unreduced_;  ///< units that have all gradients, but that autograd reduces later
};

}  // namespace

std::unique_ptr<StepHooks> make_fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder,
                                     std::uint64_t trained_elements) {
  return std::make_unique<Fsdp>(model, settings, builder, trained_elements);
}

}  // namespace ringmark::replay
