// All-to-all in two levels: blocks are first gathered within each node on the rank with the same position there as
// their destination, and are then sent between ranks with the same position. Fewer and longer messages cross the
// network.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// On nodes of unequal size, or with irregular placement of ranks on nodes, blocks are sent directly.
std::unique_ptr<Schedule> two_level_all_to_all(const Topology& topology);

}  // namespace ringmark
