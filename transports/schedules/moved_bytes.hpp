// The bytes that a schedule moves one after another, if slices of a long vector let its steps overlap.
#pragma once

#include <cstddef>

#include "transports/schedules/cost.hpp"

namespace ringmark {

/// The number of slices, of at least `least_bytes`, into which each chunk of a vector of this size is split.
double slices_of(const Cost& cost, double total_bytes, std::size_t least_bytes);

/// The bytes that the busiest rank sends or receives: the sum over all steps, or less if steps overlap.
double moved_bytes(const Cost& cost, double total_bytes, std::size_t least_bytes = 16 << 10);

}  // namespace ringmark
