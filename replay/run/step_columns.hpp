// Fills a row of replay/1 with a step.
#pragma once

#include "replay/step/timeline.hpp"
#include "results/schema/record.hpp"

namespace ringmark::replay {

/// Fills in the columns that name the step. Its size is that of the model's weights, so that different ways to train
/// the model can be compared; if the model is unknown, as in a recording, it is that of the collectives.
void describe_step(const StepTrace& trace, Record& record);

/// Fills in the columns that follow from the step's times and the trace; the row must already have its median time.
void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole, Record& record);

}  // namespace ringmark::replay
