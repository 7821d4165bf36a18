// all_to_all in direct messages, one block each way in a step. Spread: in step s a rank sends to rank + s and receives
// from rank - s. Pairwise: in each step the ranks exchange blocks in pairs, a power of two of them with the ranks whose
// numbers differ by the step (exclusive or), other numbers with the ranks whose number adds up to the step's with
// theirs, where one or two ranks pause.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> spread_all_to_all(int ranks);
std::unique_ptr<Schedule> pairwise_all_to_all(int ranks);

}  // namespace ringmark
