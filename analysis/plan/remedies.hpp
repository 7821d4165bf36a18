// Changes to a scenario that would meet its deadline if no cluster does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/plan_row.hpp"

namespace ringmark::analysis {

struct Remedy {
  std::string change;   ///< "nodes: 32 and global_batch_sequences: 256", in the scenario's words
  PlanRow row;          ///< the answer with it; `nodes` is the number, other indices are the scenario's
  bool is_over_budget;  ///< no remedy meets deadline and budget
  std::string budget;   ///< that it needs, with and without the wanted certainty
  std::optional<double> deadline_probability;  ///< nothing without a deadline or an interval
};

/// Tries batches and numbers of nodes, each up to eight times as large, in the order of the product of both factors,
/// with the nearest numbers of nodes that divide the batch. Returns the first that meets deadline and budget with the
/// wanted certainty, or else the first whose median meets the deadline; nothing if none does. With `keeps_batch`, tries
/// only nodes.
std::optional<Remedy> remedy_for(const Scenario& scenario, std::size_t model, bool keeps_batch = false);

/// If the scenario has no configuration that fits in memory: one that does, with any sharding and recomputation,
/// with FSDP2 or with Megatron's parallelism, on up to eight times the nodes. Empty if there is none.
std::string what_fits(const Scenario& scenario, std::size_t model);

/// The answer with the next device, in the clusters that have one; `change` describes it. For the scenario as it is or,
/// if that misses the deadline and remedy_for() returns nothing, with more nodes or a larger batch. Nothing if none
/// meets it.
std::optional<Remedy> next_device_for(const Scenario& scenario, std::size_t model);

/// One line for the console and the workbook, even if nothing helps. `fits`: some configuration fits, but is too slow.
std::string remedy_words(const Scenario& scenario, std::size_t model, bool fits = true);

/// answers_of() with a remedy for each answer that needs one, which plans the model again up to sixteen times.
std::vector<Answer> answers_with_remedies(const Scenario& scenario, const std::vector<PlanRow>& rows);

}  // namespace ringmark::analysis
