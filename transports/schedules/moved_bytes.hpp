// The bytes that a schedule moves one after another, where slices of a long vector let its steps run at once.
#pragma once

#include <cstddef>

#include "transports/schedules/cost.hpp"

namespace ringmark {

/// The slices, of at least `least_bytes`, into which each chunk of a vector of so many bytes is cut.
double slices_of(const Cost& cost, double total_bytes, std::size_t least_bytes);

/// Those that the busiest rank sends or receives: the sum over all steps, or less where steps overlap.
double moved_bytes(const Cost& cost, double total_bytes, std::size_t least_bytes = 16 << 10);

}  // namespace ringmark
