// Broadcast and reduce in two phases, each of which moves parts of the vector. Broadcast: the root scatters one part to
// each rank along a binomial tree, and a ring all_gather completes the vector everywhere. Reduce: a ring reduce_scatter
// completes a part on each rank, and the root gathers them along the tree. Ranks are numbered starting at the root, and
// so are the parts. Van de Geijn, "On global combine operations", JPDC 1994; Thakur, Rabenseifner and Gropp, IJHPCA
// 2005.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> scatter_all_gather_broadcast(int ranks, int root);
std::unique_ptr<Schedule> reduce_scatter_gather_reduce(int ranks, int root);

}  // namespace ringmark
