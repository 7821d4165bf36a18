// Runs a step with roles in virtual time. The ranks of a role are alike, so each role is run once.
#pragma once

#include <string>
#include <vector>

#include "replay/predict/network.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Times of a role's ranks on the stream of computation.
struct RoleTimes {
  double computation_us = 0;
  double exposed_us = 0;  ///< collectives that computation waits for
  double bubble_us = 0;   ///< waiting for messages of other stages
  double total_us = 0;    ///< to the end of its last event
};

struct RoleScene {
  std::vector<std::vector<double>> durations_us;  ///< by pass and event
  int ranks_per_node = 1;
  double contention = 0;  ///< as in Scene
};

/// The durations on that device, with the usual contention where it is known by its operators.
RoleScene usual_scene(const RoleTrace& trace, const ComputeModel& model, int ranks_per_node);

struct RoleSimulation {
  double total_us = 0;
  std::vector<RoleTimes> roles;
};

/// A collective of several roles blocks each of them until the last one arrives, even if it is asynchronous.
/// Throws BadUsage, with the roles, for a deadlock.
RoleSimulation simulate(const RoleTrace& trace, const RoleScene& scene, Network& network);

}  // namespace ringmark::replay
