// Binomial tree: reduce towards the root in ceil(log2 n) steps, broadcast the same way back; all_reduce is both.
// Few messages, but the root handles log2 n of them. Ranks are numbered starting at the root.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> binomial_tree_all_reduce(int ranks);
std::unique_ptr<Schedule> binomial_tree_reduce(int ranks, int root);
std::unique_ptr<Schedule> binomial_tree_broadcast(int ranks, int root);

}  // namespace ringmark
