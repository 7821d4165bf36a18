// How a scenario's batch divides among the GPUs of its clusters.
#pragma once

#include <optional>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// True if the batch divides evenly over that number of nodes of some cluster. Always true for scenarios with roles,
/// which search how many copies share the batch.
bool divides_batch(const Scenario& scenario, int nodes);

/// True if the scenario has a batch that divides evenly over none of its numbers of nodes.
bool has_batch_without_division(const Scenario& scenario);

/// The nearest batch that divides evenly, for a scenario whose own does not: over all numbers of nodes of a cluster if
/// one of at most twice the size does, or else over one of them. Nothing if it would have to be more than eight times
/// as large.
std::optional<int> nearest_dividing_batch(const Scenario& scenario);

}  // namespace ringmark::analysis
