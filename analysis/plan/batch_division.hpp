// How a scenario's batch divides among the GPUs of its clusters.
#pragma once

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// True if the batch divides on that number of nodes of some cluster. Scenarios with roles search how many copies share
/// the batch, so every number of nodes does.
bool divides_batch(const Scenario& scenario, int nodes);

/// True if the scenario has a batch that divides on none of its numbers of nodes.
bool has_batch_without_division(const Scenario& scenario);

/// The nearest batch that divides on all numbers of nodes of a cluster, if it is at most twice the scenario's, or else
/// the nearest that divides on one.
int nearest_dividing_batch(const Scenario& scenario);

}  // namespace ringmark::analysis
