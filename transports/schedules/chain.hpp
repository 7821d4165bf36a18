// Chain: the vector goes from rank to rank, away from the root (broadcast) or towards it (reduce). The slices of a long
// vector follow one another, so that all links are busy at the same time: each rank sends it once, the minimum
// possible. Ranks are numbered starting at the root.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> chain_broadcast(int ranks, int root);
std::unique_ptr<Schedule> chain_reduce(int ranks, int root);

}  // namespace ringmark
