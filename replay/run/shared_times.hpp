// What ranks tell each other of a step that they played.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "bench/harness/control.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::replay {

/// As numbers, of which there are as many for every step of one trace.
std::vector<double> flattened(const StepTimes& times);
StepTimes unflattened(std::span<const double> values);

/// By rank, on one clock that is 0 where the first rank began. `to_common_us` is what to add to this rank's times to
/// have them on the clock that all share. On every rank.
std::vector<std::pair<int, Timeline>> timelines_of_all(Control& control, const Timeline& timeline, double to_common_us);

}  // namespace ringmark::replay
