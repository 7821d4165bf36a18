// Runs a step with roles in virtual time. Ranks that are alike are run once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/predict/network.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/step/timeline.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Times on the computation stream of a role's slowest rank.
struct RoleTimes {
  double computation_us = 0;
  double exposed_us = 0;  ///< collectives that computation waits for
  double hidden_us = 0;   ///< collectives during computation
  double bubble_us = 0;   ///< waiting for messages of other stages
  double total_us = 0;    ///< to the end of its last event
  int rank = 0;           ///< the one that computes longest
  Timeline timeline;      ///< of that rank, by the events of played_by(); empty unless RoleScene::keeps_timelines
};

struct RoleScene {
  std::vector<std::vector<double>> durations_us;  ///< by pass and event, on a normal rank without jitter
  int ranks_per_node = 1;
  double contention = 0;            ///< as in Scene
  std::map<int, double> slow_down;  ///< as in Scene
  double jitter = 0;                ///< as in Scene
  std::uint64_t seed = 1;
  bool keeps_timelines = false;
};

/// The durations on that device, with the usual contention if the device knows operators.
RoleScene usual_scene(const RoleTrace& trace, const ComputeModel& model, int ranks_per_node);

struct RoleSimulation {
  double total_us = 0;
  std::vector<RoleTimes> roles;
  /// The rank whose computation takes longest compared with others of its role; empty if all are alike.
  std::optional<int> slowest_rank;
};

/// A collective of several kinds of ranks blocks each of them until the last one arrives, even if it is asynchronous.
/// Throws BadUsage for a deadlock, with the roles, and for too many events of different ranks to simulate.
RoleSimulation simulate(const RoleTrace& trace, const RoleScene& scene, Network& network);

}  // namespace ringmark::replay
