// Runs a step in virtual time by the rules of its streams and channels, with models of the device and the network.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/predict/network.hpp"
#include "replay/step/step_graph.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

struct Scene {
  int ranks = 1;
  std::vector<double> durations_us;  ///< of each event, on a normal rank without jitter
  std::map<int, double> slow_down;   ///< factor of computation, by rank
  /// Mean of the random extra share of each computation's time, exponentially distributed; 0 for none.
  double jitter = 0;
  std::uint64_t seed = 1;
  /// Share of the time of hidden communication that computation loses to it, since communication uses multiprocessors
  /// and memory bandwidth.
  double contention = 0;
};

struct Simulation {
  Timeline timeline;  ///< of the slowest rank
  int slowest_rank = 0;
  std::vector<double> total_us;  ///< by kind of ranks that behave alike
  double entry_skew_us = 0;  ///< mean over collectives of all ranks: from the first rank's arrival to the last one's
  /// By rank: in how many of these collectives it arrived noticeably last.
  std::map<int, int> waited_for;
};

/// Throws BadUsage if these are too many events to simulate.
void require_events(std::size_t different_ranks, std::size_t events_each);

/// Ranks that behave alike are simulated once, so without jitter their number costs nothing. Throws BadUsage if the
/// different ranks exceed the memory limit.
Simulation simulate(const StepTrace& trace, const Scene& scene, Network& network);
/// `graph` is graph_of(trace); pass it to simulate a trace repeatedly.
Simulation simulate(const StepTrace& trace, const StepGraph& graph, const Scene& scene, Network& network);

}  // namespace ringmark::replay
