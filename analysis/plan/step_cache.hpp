// Keeps generated and simulated steps, so that no search repeats one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/plan/role_steps.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/predict/network.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/step/step_graph.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::analysis {

/// Scenarios can share it if their training is the same: they may differ in clusters, nodes and batches. It keeps all
/// results, but traces only for the last requested model, ranks and ranks per node, so request steps with the same
/// three one after another. Models must outlive it.
class StepCache {
 public:
  struct Times {
    double compute_s = 0, step_s = 0;
  };
  Times times(const replay::Model& model, const replay::StepSettings& settings, const replay::ComputeModel& compute,
              const replay::Links& links);

  /// Steps with roles.
  RoleSteps& role_steps() { return role_steps_; }
  RoleMachine role_machine(const replay::ComputeModel& compute, const replay::Links& links);

  /// Seconds of the passes of a micro-step.
  double passes_s(const replay::Model& model, const replay::StepSettings& settings,
                  const replay::ComputeModel& compute);

 private:
  /// Only the work of its passes depends on the micro-batch.
  struct Step {
    replay::StepTrace trace;
    replay::StepGraph graph;
    std::vector<std::size_t> passes, others;  ///< indices of the events that compute
    replay::StepTrace of_others;              ///< with those events alone
  };
  /// A micro-step's computations in the forward and backward pass, in the order of every trace.
  using Durations = std::vector<double>;
  using StepKey = std::tuple<int, int, replay::Recompute, int>;  ///< stage, group, recomputation and micro-steps
  using PassesKey = std::tuple<replay::Recompute, std::uint64_t>;
  /// The model, the numbers of device and links, and ranks
  using TimesKey = std::tuple<const replay::Model*, std::size_t, std::size_t, int, StepKey, std::uint64_t>;

  /// Identifies a compute model. Results are stored under its number.
  struct DeviceKey {
    replay::Device device;
    double scale;
    bool operator==(const DeviceKey&) const = default;
  };
  std::size_t number_of(const replay::ComputeModel& compute);
  std::size_t number_of(const replay::Links& links);

  void forget_others(const replay::Model& model, const replay::StepSettings& settings);
  const Step& step(const replay::Model& model, const replay::StepSettings& settings);
  const Durations& passes_us(const replay::Model& model, const replay::StepSettings& settings,
                             const replay::ComputeModel& compute);
  Times simulate(const replay::Model& model, const replay::StepSettings& settings, const replay::ComputeModel& compute,
                 replay::Network& network);

  const replay::Model* model_ = nullptr;
  int ranks_ = 0, ranks_per_node_ = 0;
  std::map<StepKey, Step> steps_;
  std::map<PassesKey, replay::StepTrace> passes_;
  std::map<std::pair<std::size_t, PassesKey>, Durations> durations_;
  std::vector<DeviceKey> devices_;
  std::vector<std::pair<replay::Links, std::unique_ptr<replay::Network>>> networks_;
  std::map<TimesKey, Times> times_;
  RoleSteps role_steps_;
};

}  // namespace ringmark::analysis
