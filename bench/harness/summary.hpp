// From samples to the time and bandwidth columns of a record.
#pragma once

#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// Fills in the times and their count. Needs at least one time.
void summarise(const std::vector<double>& times_us, Record& record);

/// Fills in the bandwidths from the times: algbw is record.size_bytes over the median time, and busbw is algbw times
/// `bus_factor`. Only for rows in which bytes move.
void add_bandwidths(double bus_factor, Record& record);

}  // namespace ringmark
