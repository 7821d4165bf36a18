// What a row of replay/1 says of a step.
#pragma once

#include "bench/replay/step/timeline.hpp"
#include "results/record.hpp"

namespace ringmark::replay {

/// Fills in what the step's times and the trace tell; the row has its median time already.
void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole, Record& record);

}  // namespace ringmark::replay
