// Bruck all-gather: ceil(log2 n) steps for any number of ranks; in step k a rank sends all its blocks to rank - 2^k.
// Chunks keep their place, so nothing is rotated afterwards. With one byte per rank it is a dissemination barrier.
// Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing systems", TPDS 1997.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> bruck_all_gather(int ranks);

}  // namespace ringmark
