// Keeps simulated steps with roles, so that no search simulates one twice.
#pragma once

#include <cstddef>
#include <map>
#include <tuple>

#include "replay/generate/megatron/settings.hpp"
#include "replay/predict/network.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::analysis {

/// A device and links, with the numbers under which their results are kept.
struct RoleMachine {
  std::size_t device = 0, links = 0;
  const replay::ComputeModel& compute;
  int gpus_per_node = 1;
  replay::Network& network;
};

/// Models must outlive it: they are identified by their address.
class RoleSteps {
 public:
  using Transformer = replay::Transformer;
  using Settings = replay::megatron::Settings;
  /// Times of the busiest stage. Without a pipeline there is no bubble.
  struct Times {
    double compute_s = 0, bubble_s = 0, step_s = 0;
  };

  /// Extrapolates to many micro-batches once two of each stage take as long as the two before.
  Times times(const Transformer& model, const Settings& settings, const RoleMachine& machine);
  /// A lower bound of a step in seconds: every micro-batch on the busiest stage, and the first one's way to it.
  double least_s(const Transformer& model, const Settings& settings, const RoleMachine& machine);
  /// Bytes of a rank of the fullest stage.
  double memory_bytes(const Transformer& model, const Settings& settings);

 private:
  /// Both passes of a micro-batch.
  struct PassTimes {
    double dense_s = 0, expert_s = 0;    ///< a layer
    double embedding_s = 0, head_s = 0;  ///< the head with the loss
  };
  using LayerKey =
      std::tuple<const Transformer*, int, int, int, std::uint64_t, std::uint64_t, replay::Recompute>;  ///< tp, cp, ep
  using StepKey = std::tuple<LayerKey, int, int, int, int>;  ///< stages, chunks, ranks and micro-batches

  static LayerKey layer_key(const Transformer& model, const Settings& settings);
  static StepKey step_key(const Transformer& model, const Settings& settings);
  const PassTimes& passes(const Transformer& model, const Settings& settings, const RoleMachine& machine);

  std::map<std::tuple<std::size_t, std::size_t, LayerKey>, PassTimes> passes_;
  std::map<std::tuple<std::size_t, std::size_t, StepKey>, Times> times_;
  std::map<StepKey, double> memory_bytes_;
};

}  // namespace ringmark::analysis
