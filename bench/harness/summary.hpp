// From samples to the time and bandwidth columns of a Record.
#pragma once

#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// Times first, rates from them: algbw is S over the median, busbw that times `bus_factor`. S is record.size_bytes.
/// Needs at least one time.
void summarise(const std::vector<double>& times_us, double bus_factor, Record& record);

}  // namespace ringmark
