// What would meet a deadline that no cluster of a scenario meets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/plan/plan_row.hpp"

namespace ringmark::analysis {

struct Remedy {
  std::string change;  ///< "global_batch_sequences 2048", in the scenario's words
  PlanRow row;         ///< the answer with it; its `nodes` are the number, and its other indices the scenario's
};

/// The mildest of: numbers of nodes that divide the batch, batches up to eight times as large, up to eight times as
/// many nodes, and both. Nothing where none of them fits and meets the deadline.
std::optional<Remedy> remedy_for(const Scenario& scenario, std::size_t model);

/// A line for people, also where there is no remedy.
std::string remedy_words(const Scenario& scenario, std::size_t model);

}  // namespace ringmark::analysis
