// Recursive halving: log2 n times, a rank sends half of its remaining data to a partner and reduces the other half.
// That is reduce_scatter; all_reduce adds recursive doubling of the results: the bytes of a ring in 2*log2 n steps.
// Any number of ranks, by folding. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> halving_doubling_all_reduce(int ranks);
std::unique_ptr<Schedule> recursive_halving_reduce_scatter(int ranks);

}  // namespace ringmark
