// When a rank did what, and what that says about the step.
#pragma once

#include <array>
#include <vector>

#include "bench/replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds from the beginning of the step, for each event of the trace. A collective begins when this rank
/// arrives: waiting for others is a part of it.
struct Timeline {
  std::vector<double> begin_us, end_us;
  double total_us = 0;
};

/// What the first stream computes, or waits for that is no collective; and where it waits while one is under way.
struct PhaseTimes {
  double computation_us = 0;
  double exposed_us = 0;
};

/// Ranks that arrive within this are together.
constexpr double noticeable_skew_us = 1;

struct StepTimes {
  double total_us = 0;
  std::array<PhaseTimes, 4> phases;  ///< by Phase
  std::vector<PhaseTimes> micro_steps;
  double communication_us = 0;  ///< during which at least one collective was under way

  double computation_us() const;
  double exposed_us() const;
  /// Communication beside computation.
  double hidden_us() const;
};

/// Of a whole step, or medians over several, which need not add up.
struct StepTotals {
  double computation_us = 0, communication_us = 0, exposed_us = 0, hidden_us = 0;
};
StepTotals totals_of(const StepTimes& times);

StepTimes times_of(const StepTrace& trace, const Timeline& timeline);

}  // namespace ringmark::replay
