// How a scenario's batch divides among the GPUs of its clusters.
#pragma once

#include <optional>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// True if the batch divides on that number of nodes of some cluster. Scenarios with roles search how many copies share
/// the batch, so every number of nodes does.
bool divides_batch(const Scenario& scenario, int nodes);

/// True if the scenario has a batch that divides on none of its numbers of nodes.
bool has_batch_without_division(const Scenario& scenario);

/// The nearest batch that divides, for a scenario whose own does not: on all numbers of nodes of a cluster if one of at
/// most twice the size does, or else on one. Nothing if it would have to be more than eight times as large.
std::optional<int> nearest_dividing_batch(const Scenario& scenario);

}  // namespace ringmark::analysis
