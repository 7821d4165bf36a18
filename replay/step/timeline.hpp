// When a rank did what, and what that says about the step.
#pragma once

#include <array>
#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds from the beginning of the step, for each event of the trace. A collective begins when this rank
/// arrives: waiting for others is a part of it.
struct Timeline {
  std::vector<double> begin_us, end_us;
  double total_us = 0;
};

/// Of a phase, a micro-step or a step: what the first stream computes, or waits for that is no collective; where it
/// waits while one is under way; and how long one is under way beside its computation, which that includes.
struct PartTimes {
  double computation_us = 0;
  double exposed_us = 0;
  double hidden_us = 0;
};

/// Ranks that arrive within this are together.
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
