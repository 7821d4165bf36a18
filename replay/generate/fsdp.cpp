// PyTorch's FullyShardedDataParallel.

#include <algorithm>
#include <map>
#include <set>

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

/// Each layer is a unit: one flat tensor that is gathered as a whole, and reduced as a whole if any part of it is
/// trained (use_orig_params). The root unit has the rest, and stays gathered after its forward pass.
class Fsdp final : public StepHooks {
 public:
  Fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model),
        settings_(settings),
        builder_(builder),
        gradients_(model),
        gets_gradient_(gets_gradient(model)),
        unit_of_(model.parameters.size()) {
    if (settings.effective_overlap() != Overlap::none) {
      gather_stream_ = builder.stream("ag");
      reduce_stream_ = builder.stream("red");
    }
    std::set<int> taken;
    find_layers(model.forward, taken);
    add_to(root_, model.forward, taken);
  }

  void begin_micro_step(int /*micro_step*/) override {
    for (auto& [module, layer] : layers_) {
      layer.gathered.reset();
      layer.missing = layer.trained;
    }
    forward_order_.clear();
    wait_for(gather(root_));
  }

  void enter(const Module& module, Phase phase) override {
    const auto found = layers_.find(&module);
    if (found == layers_.end()) return;
    auto& layer = found->second;
    if (phase == Phase::forward) forward_order_.push_back(&module);
    if (!layer.gathered) layer.gathered = gather(layer);
    wait_for(*layer.gathered);
    if (phase == Phase::backward) prefetch_before(module);
  }

  void leave(const Module& module, Phase phase) override {
    const auto found = layers_.find(&module);
    if (found != layers_.end() && phase != Phase::recompute) found->second.gathered.reset();
  }

  void gradient_ready(int parameter) override {
    auto* unit = unit_of_[static_cast<std::size_t>(parameter)];
    if (unit != &root_ && --unit->missing == 0) reduce(*unit);
  }

  void end_micro_step(int /*micro_step*/) override {
    if (root_.trained > 0) reduce(root_);
    builder_.host_sync({builder_.last(reduce_stream_), builder_.last(0)});
  }

  void optimizer_step() override {
    if (settings_.clips_gradients.value_or(true))
      builder_.collective({.elements = 1, .type = DataType::float32, .tag = "norm"});
    add_adam(builder_, static_cast<double>(model_.trained_elements()) / settings_.ranks);
  }

 private:
  struct Unit {
    std::string name = "root";
    std::uint64_t elements = 0;
    int trained = 0;  ///< tensors that get a gradient
    int missing = 0;  ///< trained tensors without a gradient yet in the current micro-step
    std::optional<int> gathered;
  };

  void find_layers(const Module& module, std::set<int>& taken) {
    if (is_layer(module)) {
      auto& layer = layers_[&module];
      layer.name = module.name;
      add_to(layer, module, taken);
      return;
    }
    for (const auto& child : module.children) find_layers(child, taken);
  }

  /// A tensor belongs to the first unit that uses it.
  void add_to(Unit& unit, const Module& module, std::set<int>& taken) {
    for (const int index : module.parameters) {
      if (!taken.insert(index).second) continue;
      const auto i = static_cast<std::size_t>(index);
      unit.elements += model_.parameters[i].elements();
      unit.trained += gets_gradient_[i] ? 1 : 0;
      unit_of_[i] = &unit;
    }
    for (const auto& child : module.children) add_to(unit, child, taken);
  }

  int gather(const Unit& unit) {
    return builder_.collective({.collective = Collective::all_gather,
                                .elements = round_up(unit.elements, static_cast<std::uint64_t>(settings_.ranks)),
                                .type = settings_.type,
                                .stream = gather_stream_,
                                .is_async = true,
                                .after = {builder_.last(0)},
                                .tag = unit.name});
  }
  void wait_for(int call) { builder_.wait(0, {call}); }

  void prefetch_before(const Module& module) {
    const auto at = std::find(forward_order_.begin(), forward_order_.end(), &module);
    if (at == forward_order_.begin() || at == forward_order_.end()) return;
    const auto* before = *(at - 1);
    auto& layer = layers_.at(before);
    if (gradients_.has_output_gradient(*before) && !layer.gathered) layer.gathered = gather(layer);
  }

  void reduce(const Unit& unit) {
    if (reduce_stream_ != 0) builder_.wait(reduce_stream_, {builder_.last(0)});
    builder_.collective({.collective = Collective::reduce_scatter,
                         .elements = round_up(unit.elements, static_cast<std::uint64_t>(settings_.ranks)),
                         .type = settings_.gradient_type(),
                         .stream = reduce_stream_,
                         .tag = unit.name});
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  GradientFlow gradients_;
  std::vector<bool> gets_gradient_;
  int gather_stream_ = 0, reduce_stream_ = 0;
  std::map<const Module*, Unit> layers_;
  Unit root_;
  std::vector<Unit*> unit_of_;
  std::vector<const Module*> forward_order_;
};

}  // namespace

std::unique_ptr<StepHooks> make_fsdp(const Model& model, const StepSettings& settings, TraceBuilder& builder) {
  return std::make_unique<Fsdp>(model, settings, builder);
}

}  // namespace ringmark::replay
