// Variants of a cluster: with another network, other GPUs, or more memory.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/search.hpp"
#include "analysis/plan/sensitivity.hpp"

namespace ringmark::analysis {

struct Variant {
  std::string name;  ///< "network 2 times as fast"
  Cluster cluster;
  bool is_what_if = false;     ///< the scenario asks for its value; the others are for a spreadsheet's selector
  bool is_of_network = false;  ///< has no effect on one node
  bool is_next = false;        ///< its GPUs have a price of their own
};

/// The first is the cluster as it is. All clusters of a scenario have the same variants in the same order; only a
/// cluster without a next device lacks the last one.
std::vector<Variant> variants_of(const Scenario& scenario, std::size_t cluster);

/// The configurations of a place with the variant of its cluster, as best_of_place() has them.
std::vector<PlanRow> best_with(const Scenario& scenario, const Variant& variant, StepCache& cache,
                               const std::array<std::size_t, 3>& where, int wanted);

/// A place's simulated results, one for each variant that the workbook's selectors offer.
struct PlaceVariants {
  std::vector<std::optional<PlanRow>> best;    ///< by variants_of(); nothing if nothing fits
  std::vector<std::optional<PlanRow>> second;  ///< likewise
  std::vector<Sensitivity> sensitivities;      ///< of the best configuration as planned
};
struct PlanWithVariants {
  std::vector<PlanRow> rows;
  std::map<std::array<std::size_t, 3>, PlaceVariants> places;  ///< by model, cluster and nodes_index
};
/// make_plan() and every variant of every place, which takes several times as long as the plan alone.
PlanWithVariants plan_with_variants(const Scenario& scenario, const Progress& progress = {});

}  // namespace ringmark::analysis
