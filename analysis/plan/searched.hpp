// The values to search for keys that a scenario leaves out.
#pragma once

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

constexpr int most_searched_micro_batch = 64, most_searched_micro_batch_of_copy = 4, most_searched_nodes = 1024;

/// All stages, states shared by all GPUs and by those of a node, with and without recomputation: of
/// core attention where its scores are kept and the models show it, and of whole layers. With a global batch
/// also micro-batches and nodes: powers of two, as far as every GPU gets a sequence; without one, a micro-batch of 1 on
/// one node. Megatron's copies of the model get up to four sequences at a time.
void fill_in_searched(Scenario& scenario);

/// Micro-steps of a step, so that all GPUs together see the global batch; 0 if it cannot be divided so.
int accumulation_of(int global_batch, double ranks, int micro_batch);

}  // namespace ringmark::analysis
