// Bruck's algorithms: ceil(log2 n) steps for any number of ranks.
// all_gather: in step k a rank sends all its blocks to rank - 2^k. Chunks keep their place, so nothing is rotated
// afterwards. With one byte per rank it is a dissemination barrier.
// all_to_all: a block that must travel d ranks moves by 2^k in each step k whose bit is set in d; all blocks that a
// rank moves in a step form one message. Blocks are sent log2(n) / 2 times on average, which pays off if they are
// short. Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing systems", TPDS
// 1997.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> bruck_all_gather(int ranks);
std::unique_ptr<Schedule> bruck_all_to_all(int ranks);

}  // namespace ringmark
