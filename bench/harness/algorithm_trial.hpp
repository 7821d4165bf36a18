// Decides between algorithms by timing them. A cost model ranks them well far from a crossover, but knows neither which
// links the flows share nor how busy the hosts are.
#pragma once

#include "bench/flags/run_options.hpp"
#include "bench/harness/control.hpp"
#include "transports/communicator.hpp"

namespace ringmark {

/// All ranks of `control` call it, with an operation for which their communicators have the same contenders; an idle
/// rank passes a communicator of only itself. Times the contenders in turn, each sample after a barrier, and settles on
/// the first in order of preference whose median is within 10 % of the shortest. It ends when the choice is clear,
/// after a second, or after `limit`, whichever comes first. If the contenders together are expected to take longer than
/// `limit`, none is run and the model decides. Overwrites the buffers.
void try_algorithms(Communicator& communicator, Control& control, const Operation& operation, Buffers buffers,
                    std::chrono::duration<double> limit, Clock::duration patience);

/// The contender to settle on, given the times of each in order of preference; empty if more samples are needed. A
/// contender without times has been ruled out.
std::optional<std::size_t> clear_choice(const std::vector<std::vector<double>>& times_us);
/// The best choice so far, by medians alone.
std::size_t best_choice(const std::vector<std::vector<double>>& times_us);

}  // namespace ringmark
