#include "analysis/plan/answers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/plan/order.hpp"

namespace ringmark::analysis {
namespace {

std::vector<Choice> choices_of(const std::vector<PlanRow>& rows, std::size_t model) {
  std::vector<Choice> choices;
  for (const auto& place : places_of(rows)) {
    if (place.where[0] != model || place.rows.empty()) continue;
    choices.push_back({&rows[place.rows[0]], place.rows.size() > 1 ? &rows[place.rows[1]] : nullptr});
  }
  return choices;
}

Need need_of(const std::vector<Choice>& choices, std::size_t cluster, Estimate (Choice::*value)() const,
             std::optional<double> limit, bool takes_fastest) {
  Need need;
  if (!limit) return need;
  const auto fill = [&](std::optional<int>& nodes, const auto& value_of) {
    double least_days = 1e300;
    for (const auto& choice : choices) {
      const auto& row = *choice.row;
      if (row.cluster != cluster || value_of(choice) > *limit) continue;
      if (takes_fastest ? row.days >= least_days : nodes.has_value()) continue;
      nodes = row.nodes;
      least_days = row.days;
    }
  };
  fill(need.expected, [&](const Choice& choice) { return (choice.*value)().planned; });
  fill(need.at_best, [&](const Choice& choice) { return (choice.*value)().range().low; });
  fill(need.at_worst, [&](const Choice& choice) { return (choice.*value)().range().high; });
  return need;
}

}  // namespace

double expected_spending(const Scenario& scenario, const PlanRow& row) {
  return scenario.has_prices() ? row.expected_cost : row.days * row.ranks * spread_of(row.of_days).mean();
}

Estimate Choice::days() const {
  return {row->days, has_range() ? std::optional(spread_of(row->of_days)) : std::nullopt};
}

Estimate Choice::cost() const {
  return {row->cost, has_range() ? std::optional(spread_of(row->of_cost)) : std::nullopt};
}

Order order_of(const Scenario& scenario, const Choice& choice) {
  const auto days = choice.days(), cost = choice.cost();
  const Ordered<double> values{.days = days.planned,
                               .cost = cost.planned,
                               .expected = expected_spending(scenario, *choice.row),
                               .days_sure = days.not_exceeded(scenario.certainty),
                               .cost_sure = cost.not_exceeded(scenario.certainty),
                               .deadline = scenario.deadline_days.value_or(0),
                               .budget = scenario.budget.value_or(0)};
  const double tier = tier_by<Figures>(values);
  if (is_by_days<Figures>(tier, values)) return {tier, values.days, values.expected};
  return {tier, values.expected, values.days};
}

std::vector<Choice> ranked_choices(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model) {
  auto choices = choices_of(rows, model);
  std::stable_sort(choices.begin(), choices.end(),
                   [&](const Choice& a, const Choice& b) { return order_of(scenario, a) < order_of(scenario, b); });
  return choices;
}

Meets meets(const Estimate& value, const std::optional<double>& limit, double certainty) {
  if (!limit || value.not_exceeded(certainty) <= *limit) return Meets::surely;
  return value.planned <= *limit ? Meets::perhaps : Meets::not_at_all;
}

std::vector<Answer> answers_of(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  std::vector<Answer> answers;
  for (std::size_t model = 0; model < scenario.models.size(); ++model) {
    const auto choices = ranked_choices(scenario, rows, model);
    Answer answer;
    answer.model = model;
    if (!choices.empty()) {
      answer.chosen = choices.front();
      const auto& row = *choices.front().row;
      const auto deadline = meets(choices.front().days(), scenario.deadline_days, scenario.certainty);
      const auto budget = meets(choices.front().cost(), scenario.budget, scenario.certainty);
      answer.meets_deadline = deadline != Meets::not_at_all;
      answer.meets_budget = budget != Meets::not_at_all;
      answer.is_certain = deadline == Meets::surely && budget == Meets::surely;
      const auto first = [&](const auto& is_wanted) {
        const auto found = std::find_if(choices.begin(), choices.end(), is_wanted);
        return found == choices.end() ? std::nullopt : std::optional(*found);
      };
      const auto is_bought = [&](const Choice& each) { return scenario.clusters[each.row->cluster].is_bought(); };
      answer.other = first([&](const Choice& each) { return each.row->cluster != row.cluster; });
      answer.bought = first(is_bought);
      if (answer.bought) answer.rented = first([&](const Choice& each) { return !is_bought(each); });
      const auto cheaper = [&](double last_tier) {
        std::optional<Choice> cheapest;
        double least = expected_spending(scenario, row);
        for (const auto& each : choices) {
          const double spending = expected_spending(scenario, *each.row);
          if (spending >= least || order_of(scenario, each).tier > last_tier) continue;
          cheapest = each;
          least = spending;
        }
        return cheapest;
      };
      answer.cheapest = cheaper(tier_late);
      answer.cheapest_as_planned = cheaper(tier_as_planned);
    }
    answers.push_back(answer);
  }
  return answers;
}

Need nodes_for_deadline(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model,
                        std::size_t cluster) {
  return need_of(choices_of(rows, model), cluster, &Choice::days, scenario.deadline_days, false);
}

Need nodes_for_budget(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model,
                      std::size_t cluster) {
  return need_of(choices_of(rows, model), cluster, &Choice::cost, scenario.budget, true);
}

std::vector<WhatIf> what_ifs(const Scenario& scenario, const PlanRow& chosen) {
  StepCache cache;
  std::vector<WhatIf> result;
  for (auto& variant : variants_of(scenario, chosen.cluster)) {
    if (!variant.is_what_if || (variant.is_of_network && chosen.nodes == 1)) continue;
    const auto rows = best_with(scenario, variant, cache, {chosen.model, chosen.cluster, chosen.nodes_index}, 1);
    const auto row = rows.empty() ? std::nullopt : std::optional(rows.front());
    const double break_even = row ? chosen.price_per_GPU_hour * chosen.days / row->days : 0;
    result.push_back({std::move(variant), row, break_even});
  }
  return result;
}

}  // namespace ringmark::analysis
