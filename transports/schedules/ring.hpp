// Ring: every rank talks only to its two neighbours, and each link carries the minimum number of bytes.
// Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 2009.
// Steps: n-1 for reduce_scatter and all_gather, 2(n-1) for all_reduce; one chunk of n in each direction per step.
#pragma once

#include <memory>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

std::unique_ptr<Schedule> ring_all_reduce(int ranks);
std::unique_ptr<Schedule> ring_reduce_scatter(int ranks);
std::unique_ptr<Schedule> ring_all_gather(int ranks);

/// The chunk that `rank` sends in `step` of the reduce-scatter half (it ends with chunk `rank` complete), and the chunk
/// that it sends in `step` of the all-gather half. It receives the chunk that its predecessor sends.
constexpr int ring_reduce_chunk(int rank, int step, int ranks) { return (rank - 1 - step + 2 * ranks) % ranks; }
constexpr int ring_gather_chunk(int rank, int step, int ranks) { return (rank - step + ranks) % ranks; }

}  // namespace ringmark
