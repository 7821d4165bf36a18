// When each event of a step ran on a rank, and the step's times that follow from it.
#pragma once

#include <array>
#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds from the start of the step, for each event of the trace. A collective begins when this rank arrives:
/// waiting for others is part of it.
struct Timeline {
  std::vector<double> begin_us, end_us;
  double total_us = 0;
};

/// Times of a phase, a micro-step or a step on the first stream.
struct PartTimes {
  double computation_us = 0;  ///< busy, or waiting for something other than communication
  double exposed_us = 0;      ///< waiting for collectives
  double hidden_us = 0;       ///< collectives that overlap with computation, and are included there
  double bubble_us = 0;       ///< waiting for messages of other pipeline stages
};

/// Ranks that arrive within this time count as arriving together.
constexpr double noticeable_skew_us = 1;

struct StepTimes {
  double total_us = 0;
  std::array<PartTimes, 4> phases;  ///< by Phase
  std::vector<PartTimes> micro_steps;

  /// The sum over the phases.
  PartTimes whole() const;
};

StepTimes times_of(const StepTrace& trace, const Timeline& timeline);

}  // namespace ringmark::replay
