// Two-level all_reduce for ranks in nodes, of equal size or not. With w the size of the smallest node:
//   1. within a node the first w members each reduce one w-th of the vector (every member sends to each of them);
//   2. the members at the same position on all nodes run a ring all_reduce of their part;
//   3. within a node they send the result to every member.
// Between the m nodes, w rings run concurrently and transfer 2(m-1)/m of the vector per node.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

std::unique_ptr<Schedule> two_level_all_reduce(const Topology& topology);

}  // namespace ringmark
