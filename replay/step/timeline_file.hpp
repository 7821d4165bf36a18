// Timelines for Perfetto and chrome://tracing: the Trace Event Format.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "replay/step/timeline.hpp"

namespace ringmark::replay {

/// A process for each rank, a thread for each stream and each channel.
void write_timelines(const std::string& file, const StepTrace& trace,
                     const std::vector<std::pair<int, Timeline>>& ranks);

}  // namespace ringmark::replay
