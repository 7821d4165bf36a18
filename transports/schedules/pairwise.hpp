// Pairwise all_to_all: in step s a rank sends to rank + s and receives from rank - s, so every link carries one block
// each way at a time.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> pairwise_all_to_all(int ranks);

}  // namespace ringmark
