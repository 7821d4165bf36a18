// All-to-all in two levels: blocks are first gathered within each node on the rank with their destination's number
// there, and then travel between the ranks with the same number. Fewer and longer messages cross the network.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// On nodes of unequal size, or with ranks placed on them in no regular order, blocks travel directly.
std::unique_ptr<Schedule> two_level_all_to_all(const Topology& topology);

}  // namespace ringmark
