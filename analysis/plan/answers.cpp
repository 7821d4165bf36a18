#include "analysis/plan/answers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include "analysis/plan/order.hpp"
#include "replay/step/interval.hpp"

namespace ringmark::analysis {
namespace {

double normal_quantile(double probability) { return boost::math::quantile(boost::math::normal(), probability); }

std::vector<Choice> choices_of(const std::vector<PlanRow>& rows, std::size_t model) {
  std::vector<Choice> choices;
  for (const auto& place : places_of(rows)) {
    if (place.where[0] != model || place.rows.empty()) continue;
    choices.push_back({&rows[place.rows[0]], place.rows.size() > 1 ? &rows[place.rows[1]] : nullptr});
  }
  return choices;
}

Need need_of(const std::vector<Choice>& choices, std::size_t cluster, double PlanRow::*figure,
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
  fill(need.expected, [&](const Choice& choice) { return choice.row->*figure; });
  fill(need.at_best, [&](const Choice& choice) { return choice.range(choice.row->*figure).low; });
  fill(need.at_worst, [&](const Choice& choice) { return choice.range(choice.row->*figure).high; });
  return need;
}

}  // namespace

double spent_on(const PlanRow& row) { return row.cost > 0 ? row.cost : row.days * row.ranks; }

double order_of(const Scenario& scenario, const Choice& choice) {
  const auto& row = *choice.row;
  return order_by<Figures>({.days = row.days,
                            .cost = spent_on(row),
                            .days_sure = choice.not_exceeded(row.days, scenario.certainty),
                            .cost_sure = choice.not_exceeded(row.cost, scenario.certainty),
                            .deadline = scenario.deadline_days.value_or(0),
                            .budget = scenario.budget.value_or(0)});
}

Interval Choice::range(double figure) const {
  if (!has_range()) return {figure, figure};
  return {figure * *row->interval_low_s / row->median_s, figure * *row->interval_high_s / row->median_s};
}

double Choice::scatter() const { return replay::scatter_of(range(1)); }

double Choice::not_exceeded(double figure, double probability) const {
  return figure * (has_range() ? std::exp(normal_quantile(probability) * scatter()) : unbounded);
}

std::optional<double> Choice::probability_below(double figure, double limit) const {
  if (!has_range()) return std::nullopt;
  if (scatter() <= 0) return figure <= limit ? 1 : 0;
  return boost::math::cdf(boost::math::normal(), std::log(limit / figure) / scatter());
}

Meets meets(const Choice& choice, double figure, const std::optional<double>& limit, double certainty) {
  if (!limit || choice.not_exceeded(figure, certainty) <= *limit) return Meets::surely;
  return figure <= *limit ? Meets::perhaps : Meets::not_at_all;
}

std::vector<Answer> answers_of(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  std::vector<Answer> answers;
  for (std::size_t model = 0; model < scenario.models.size(); ++model) {
    auto choices = choices_of(rows, model);
    // Among equals the one with the least of a GPU's time.
    const auto key = [&](const Choice& each) {
      return std::pair(order_of(scenario, each), each.row->ranks * each.row->days);
    };
    std::stable_sort(choices.begin(), choices.end(), [&](const Choice& a, const Choice& b) { return key(a) < key(b); });
    Answer answer{.model = model, .chosen = {}, .other = {}};
    if (!choices.empty()) {
      answer.chosen = choices.front();
      const auto& row = *choices.front().row;
      const auto deadline = meets(choices.front(), row.days, scenario.deadline_days, scenario.certainty);
      const auto budget = meets(choices.front(), row.cost, scenario.budget, scenario.certainty);
      answer.meets_deadline = deadline != Meets::not_at_all;
      answer.meets_budget = budget != Meets::not_at_all;
      answer.is_certain = deadline == Meets::surely && budget == Meets::surely;
      const auto other = std::find_if(choices.begin(), choices.end(),
                                      [&](const Choice& each) { return each.row->cluster != row.cluster; });
      if (other != choices.end()) answer.other = *other;
      const auto cheapest = std::min_element(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
        return spent_on(*a.row) < spent_on(*b.row);
      });
      if (spent_on(*cheapest->row) < spent_on(row)) answer.cheapest = *cheapest;
    }
    answers.push_back(answer);
  }
  return answers;
}

Need nodes_for_deadline(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model,
                        std::size_t cluster) {
  return need_of(choices_of(rows, model), cluster, &PlanRow::days, scenario.deadline_days, false);
}

Need nodes_for_budget(const Scenario& scenario, const std::vector<PlanRow>& rows, std::size_t model,
                      std::size_t cluster) {
  return need_of(choices_of(rows, model), cluster, &PlanRow::cost, scenario.budget, true);
}

std::vector<WhatIf> what_ifs(const Scenario& scenario, const PlanRow& chosen) {
  const double price = scenario.clusters[chosen.cluster].price_per_GPU_hour;
  Traces traces;
  std::vector<WhatIf> result;
  for (auto& variant : variants_of(scenario, chosen.cluster)) {
    if (!variant.is_what_if || (variant.is_of_network && chosen.nodes == 1)) continue;
    auto row = best_with(scenario, variant, traces, {chosen.model, chosen.cluster, chosen.nodes_index});
    const double break_even = row ? price * chosen.days / row->days : 0;
    result.push_back({std::move(variant), row, break_even});
  }
  return result;
}

}  // namespace ringmark::analysis
