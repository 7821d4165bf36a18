// The times that ranks exchange after a step.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/control.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

/// As a list of numbers; its length is the same for every step of a trace.
std::vector<double> flattened(const StepTimes& times);
StepTimes unflattened(std::span<const double> values);

/// The timelines of all ranks, by rank, on a common clock that is 0 when the first rank begins. Every rank calls it and
/// gets all of them. `to_common_us` is added to this rank's times to convert them to the common clock.
std::vector<Timeline> timelines_of_all(Control& control, const Timeline& timeline, double to_common_us);

}  // namespace ringmark::replay
