// Recursive doubling: in round k a rank exchanges all its data with the rank whose number differs in bit k.
// all_reduce: ceil(log2 n) rounds with the whole vector, which gives small vectors the lowest latency.
// all_gather: the exchanged data doubles with each round. Any number of ranks, by folding (folding.hpp).
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 2005.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> recursive_doubling_all_reduce(int ranks);
std::unique_ptr<Schedule> recursive_doubling_all_gather(int ranks);

}  // namespace ringmark
