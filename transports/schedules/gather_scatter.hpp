// Gather and scatter, where chunk r is rank r's block. Linear: the root exchanges a message with each rank in turn, and
// every block is sent once. Binomial: blocks are sent along a binomial tree, which takes ceil(log2 n) steps; the root
// moves the same number of bytes, and inner ranks forward the blocks of their subtrees.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> linear_gather(int ranks, int root);
std::unique_ptr<Schedule> linear_scatter(int ranks, int root);
std::unique_ptr<Schedule> binomial_gather(int ranks, int root);
std::unique_ptr<Schedule> binomial_scatter(int ranks, int root);

}  // namespace ringmark
