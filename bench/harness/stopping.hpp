// When a row has enough samples. Every rank decides from the same samples, so all decide the same.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/flags/run_options.hpp"
#include "results/schema/workload.hpp"

namespace ringmark {

/// Why the samples are enough; empty if they are not. `elapsed` is the same on all ranks.
std::optional<StopReason> stop_reason(const MeasuringTime& limits, const std::vector<double>& samples_us,
                                      std::chrono::duration<double> elapsed);

/// The number of samples until the ranks next exchange theirs: about a tenth of a second's worth.
int next_block(const MeasuringTime& limits, int done, double typical_us);

}  // namespace ringmark
