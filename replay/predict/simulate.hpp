// A step in virtual time: the rules of its streams and channels, over a model of device and network.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/predict/network.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

struct Scene {
  int ranks = 1;
  std::vector<double> durations_us;  ///< of each event, on a rank that is neither slow nor disturbed
  std::map<int, double> slow_down;   ///< factor of computation, by rank
  /// Every computation takes a random part longer, exponentially distributed with this mean; 0 for none.
  double jitter = 0;
  std::uint64_t seed = 1;
};

struct Simulation {
  Timeline timeline;  ///< of the slowest rank
  int slowest_rank = 0;
  std::vector<double> total_us;  ///< of each rank, or of each kind of rank that behaves alike
  double entry_skew_us = 0;      ///< mean over collectives of all ranks: from the first one's arrival to the last one's
  /// How often a rank arrived last at these, noticeably.
  std::map<int, int> waited_for;
};

/// Ranks that behave alike are simulated once, so that their number costs nothing without jitter. Throws BadUsage for
/// more than there is memory for.
Simulation simulate(const StepTrace& trace, const Scene& scene, Network& network);

}  // namespace ringmark::replay
