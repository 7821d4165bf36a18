// The answers of a plan: the cluster to choose, and the nodes that each cluster needs.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/search.hpp"
#include "analysis/plan/variants.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

/// The best configuration of a place.
struct Choice {
  const PlanRow* row = nullptr;
  const PlanRow* runner_up = nullptr;  ///< the second configuration of the place; null if only one fits

  bool has_range() const { return row->interval_low_s.has_value(); }
  /// With their spreads if the row has a range.
  Estimate days() const;
  Estimate cost() const;
};

/// The mean of the cost, or of GPU-days without prices.
double expected_spending(const Scenario& scenario, const PlanRow& row);

/// Smaller is better: a tier of order.hpp, and what decides within it.
struct Order {
  double tier, first, second;
  auto operator<=>(const Order&) const = default;
};
Order order_of(const Scenario& scenario, const Choice& choice);
/// The best choice of each place where something fits, the best one first; ties keep the order of the places.
std::vector<Choice> ranked_choices(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model);

/// How a value meets a limit: with the wanted certainty, only as planned, or not.
enum class Meets { surely, perhaps, not_at_all };
Meets meets(const Estimate& value, const std::optional<double>& limit, double certainty);

/// The choice for one model: among those that meet the deadline and the budget (preferably with the wanted certainty,
/// for the deadline first), the one with the least expected cost, or the fastest if only a budget is given. If none
/// meets both, the one with the least expected cost among those that meet the deadline, or else the fastest.
struct Answer {
  std::size_t model = 0;
  std::optional<Choice> chosen;                     ///< nothing if nothing fits
  bool meets_deadline = true, meets_budget = true;  ///< as planned
  bool is_certain = true;                           ///< it meets both with the wanted certainty
  std::optional<Choice> other;                      ///< the next best one on another cluster
  /// The one with the least expected cost of all, if the deadline or the budget ruled it out.
  std::optional<Choice> cheapest;
  /// The same among those that meet both as planned, if the wanted certainty ruled it out.
  std::optional<Choice> cheapest_as_planned;
  std::optional<Choice> bought, rented;  ///< the best of each kind; `rented` only if there is a bought one
  std::string remedy;  ///< of answers_with_remedies(): a line, if nothing fits or the deadline is missed
};
std::vector<Answer> answers_of(const Scenario& scenario, const std::vector<PlanRow>& rows);

/// A number of nodes of the scenario: the smallest that meets the deadline, or the fastest within the budget; as
/// predicted and at both ends of the range. Nothing if no number does.
struct Need {
  std::optional<int> expected, at_best, at_worst;
};
Need nodes_for_deadline(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model,
                        std::size_t cluster);
Need nodes_for_budget(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model,
                      std::size_t cluster);

/// The chosen place with a variant of its cluster.
struct WhatIf {
  Variant variant;
  std::optional<PlanRow> row;   ///< its best; nothing if nothing fits
  double break_even_price = 0;  ///< of a GPU's hour: above it the change costs more than it saves
};
/// The variants that the scenario's `what_if` asks about, and the next device.
std::vector<WhatIf> what_ifs(const Scenario& scenario, const PlanRow& chosen);

/// A line for the runner-up, and one for the value of each of what_ifs().
std::vector<std::string> what_would_change(const Scenario& scenario, const Answer& answer);

/// A warning for each value that is probably a mistake.
std::vector<std::string> doubts_of(const Scenario& scenario);

/// The answers and the best configurations, for a terminal.
std::string print(const Scenario& scenario, const std::vector<PlanRow>& rows, const std::vector<Answer>& answers);

}  // namespace ringmark::analysis
