// The values to search for keys that a scenario leaves out.
#pragma once

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

constexpr int most_searched_micro_batch = 64, most_searched_micro_batch_of_copy = 4, most_searched_nodes = 1024;

/// Fills in all stages, sharding over all GPUs and within a node, and no recomputation, that of core attention (if its
/// scores are kept and the models show it) and that of whole layers. With a global batch, also micro-batches and nodes:
/// powers of two, as long as every GPU gets a sequence; without one, a micro-batch of 1 on one node. Megatron's copies
/// of the model get up to four sequences at a time.
void fill_in_searched(Scenario& scenario);

/// Micro-steps of a step in which all GPUs together process the global batch; 0 if it cannot be divided this way.
int accumulation_of(int global_batch, double ranks, int micro_batch);

}  // namespace ringmark::analysis
