// Decides when ZeRO-3 gathers and releases parameters, like DeepSpeed's PartitionedParameterCoordinator with its cached
// decisions.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

class ParameterCoordinator {
 public:
  ParameterCoordinator(const Model& model, const StepSettings& settings);

  /// Parameters that a fetch gathers, by registration index. Empty lists gather nothing.
  struct Fetch {
    std::vector<int> needed;      ///< for the current module, which waits for them
    std::vector<int> prefetched;  ///< for later modules
  };

  /// Call it before the root runs forward in each micro-step.
  void begin_micro_step();
  Fetch enter(const Module& module, Phase phase);
  void leave(const Module& module, bool is_forward);
  /// Call it after the backward pass: from 0.19.3 on it releases modules that were entered and never left.
  void end_backward();
  /// Releases everything, then gathers the persistent parameters again and returns them.
  std::vector<int> optimizer_step();

  /// With hpZ: true from the parameter's first release in a step on, when the node has a copy.
  bool has_secondary(int parameter) const { return secondary_.contains(parameter); }

 private:
  enum class State { elsewhere, in_flight, here };
  struct Use {
    int parameter;
    int step;
  };

  std::uint64_t elements(int parameter) const { return elements_[static_cast<std::size_t>(parameter)]; }
  State& state(int parameter) { return states_[static_cast<std::size_t>(parameter)]; }
  bool is_persistent(int parameter) const { return persists_[static_cast<std::size_t>(parameter)]; }
  std::vector<int> gather(const std::vector<int>& parameters);
  std::vector<int> prefetch();
  void release(int parameter);
  void release_recomputed(const Module& owner);
  const std::set<int>& to_release(const Module& module);

  const StepSettings& settings_;
  std::vector<std::uint64_t> elements_;
  std::vector<bool> trains_;
  std::vector<bool> persists_;  ///< small parameters, in registration order, up to the model's limit
  std::vector<State> states_;
  std::vector<std::set<const Module*>> active_;  ///< modules that use a parameter now
  std::set<int> secondary_;

  enum class Tracing { off, recording, complete } tracing_ = Tracing::off;
  std::vector<const Module*> order_;  ///< recorded order of modules
  std::vector<Use> uses_;
  std::deque<Use> queue_;  ///< uses not yet fetched or prefetched in this micro-step
  std::map<int, int> fetched_for_;
  std::map<std::pair<const Module*, int>, std::set<int>> release_cache_;  ///< kept for the whole run
  std::vector<const Module*> entered_backward_;
  /// Frozen parameters gathered for a recomputation, by the module whose backward pass triggered it.
  std::map<const Module*, std::set<int>> recomputed_;
  int step_ = 0;
  std::int64_t available_ = 0;  ///< elements
};

}  // namespace ringmark::replay
