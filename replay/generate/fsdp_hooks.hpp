// The hooks that FSDP and FSDP2 have in common: on entering and leaving the modules that are units.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "replay/generate/fsdp_units.hpp"
#include "replay/generate/step_walk.hpp"

namespace ringmark::replay {

/// `Unit` has the member ran_pre_backward, which is false at the start of a micro-step.
template <class Unit>
class FsdpHooks : public StepHooks {
 public:
  FsdpHooks(const Model& model, const StepSettings& settings, TraceBuilder& builder)
      : model_(model), settings_(settings), builder_(builder), collectives_(settings, builder), gradients_(model) {}

  void begin_micro_step(int micro_step) override {
    micro_step_ = micro_step;
    syncs_ = !settings_.sharding.no_sync || micro_step + 1 == settings_.micro_steps;
    executed_.clear();
    for (auto& [module, unit] : units_) unit.ran_pre_backward = false;
  }

  void enter(const Module& module, Phase phase) final {
    const auto found = units_.find(&module);
    if (found == units_.end()) return;
    auto& unit = found->second;
    if (phase == Phase::forward) return before_forward(unit);
    if (unit.ran_pre_backward) return;
    unit.ran_pre_backward = true;
    // The output's hook runs before a checkpoint recomputes its module.
    builder_.at(Phase::backward, micro_step_);
    before_backward(unit);
    builder_.at(phase, micro_step_);
  }

  void leave(const Module& module, Phase phase) final {
    const auto found = units_.find(&module);
    if (found == units_.end()) return;
    if (phase == Phase::forward) {
      after_forward(module, found->second);
      executed_.push_back(&found->second);
    } else if (phase == Phase::backward) {
      after_backward(found->second);
    }
  }

 protected:
  virtual void before_forward(Unit& unit) = 0;
  virtual void after_forward(const Module& module, Unit& unit) = 0;
  virtual void before_backward(Unit& unit) = 0;
  virtual void after_backward(Unit& unit) = 0;

  /// The unit whose forward pass ended before this one's; null for the first.
  Unit* executed_before(const Unit& unit) const {
    const auto at = std::find(executed_.begin(), executed_.end(), &unit);
    return at == executed_.begin() || at == executed_.end() ? nullptr : *(at - 1);
  }

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  FsdpCollectives collectives_;
  GradientFlow gradients_;
  std::map<const Module*, Unit> units_;
  // state of the current micro-step
  int micro_step_ = 0;
  bool syncs_ = true;  ///< gradients are reduced

 private:
  std::vector<Unit*> executed_;  ///< in the order in which their forward passes ended
};

}  // namespace ringmark::replay
