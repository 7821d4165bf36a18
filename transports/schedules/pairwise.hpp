// all_to_all with direct messages, one block in each direction per step. Spread: in step s a rank sends to rank + s and
// receives from rank - s. Pairwise: in each step the ranks exchange blocks in pairs. If their number is a power of two,
// a rank's partner in step s is rank xor s. Otherwise partners are the ranks whose numbers add up to s, modulo the
// number of ranks, and one or two ranks pause in each step.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> spread_all_to_all(int ranks);
std::unique_ptr<Schedule> pairwise_all_to_all(int ranks);

}  // namespace ringmark
