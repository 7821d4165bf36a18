// From samples to the time and bandwidth columns of a record.
#pragma once

#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// Fills in the times and their count. Needs at least one time.
void summarise(const std::vector<double>& times_us, Record& record);

/// Fills in the bandwidths from the times, for a row in which bytes move: algbw is S over the median, and busbw is that
/// times `bus_factor`. S is record.size_bytes.
void add_bandwidths(double bus_factor, Record& record);

}  // namespace ringmark
