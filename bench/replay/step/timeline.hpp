// When a rank did what, and what that says about the step.
#pragma once

#include <array>
#include <vector>

#include "bench/replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Microseconds from the beginning of the step, for each event of the trace. A collective's begin is its start on the
/// network: when the last rank arrived, if that is known, else when this one did.
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

StepTimes times_of(const StepTrace& trace, const Timeline& timeline);

}  // namespace ringmark::replay
