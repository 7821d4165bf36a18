// Fills a row of replay/1 with a step.
#pragma once

#include "replay/step/timeline.hpp"
#include "results/record.hpp"

namespace ringmark::replay {

/// Fills in what names the step. Its size is that of the model's weights, the same for every way to train it, so that
/// ways can be compared; where the model is not known, as in a recording, it is what the collectives carry.
void describe_step(const StepTrace& trace, Record& record);

/// Fills in what the step's times and the trace tell; the row has its median time already.
void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole, Record& record);

}  // namespace ringmark::replay
