// Chain: the vector goes from rank to rank, away from the root (broadcast) or towards it (reduce). The slices of a long
// vector follow one another, so that all links carry it at the same time: each rank sends it once, the least there is.
// Ranks are numbered from the root on.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> chain_broadcast(int ranks, int root);
std::unique_ptr<Schedule> chain_reduce(int ranks, int root);

}  // namespace ringmark
