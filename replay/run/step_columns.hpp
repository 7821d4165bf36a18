// Fills a row of replay/1 with a step.
#pragma once

#include "replay/step/timeline.hpp"
#include "results/schema/record.hpp"

namespace ringmark::replay {

/// Fills in the columns that name the step. Its size is the model's weights, the same for every way to train it, so
/// that ways can be compared; where the model is not known, as in a recording, it is the bytes of the collectives.
void describe_step(const StepTrace& trace, Record& record);

/// Fills in the columns that follow from the step's times and the trace; the row has its median time already.
void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole, Record& record);

}  // namespace ringmark::replay
