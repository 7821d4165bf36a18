#include "analysis/plan/answers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analysis/plan/cluster_reader.hpp"
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

double order_of(const Scenario& scenario, const Choice& choice) {
  const auto& row = *choice.row;
  return order_by<Figures>({.days = row.days,
                            .cost = row.cost > 0 ? row.cost : row.days * row.ranks,
                            .days_high = choice.range(row.days).high,
                            .cost_high = choice.range(row.cost).high,
                            .deadline = scenario.deadline_days.value_or(0),
                            .budget = scenario.budget.value_or(0)});
}

Interval Choice::range(double figure) const {
  if (!has_range()) return {figure, figure};
  return {figure * *row->interval_low_s / row->step_s, figure * *row->interval_high_s / row->step_s};
}

std::optional<double> Choice::probability_below(double figure, double limit) const {
  if (!has_range()) return std::nullopt;
  const auto [low, high] = range(figure);
  constexpr double widths_of_nine_tenths = 2 * 1.6449;
  const double scatter = std::log(high / low) / widths_of_nine_tenths;
  if (scatter <= 0) return figure <= limit ? 1 : 0;
  return std::erfc(-(std::log(limit) - std::log(low * high) / 2) / scatter / std::sqrt(2)) / 2;
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
      answer.meets_deadline = !scenario.deadline_days || row.days <= *scenario.deadline_days;
      answer.meets_budget = !scenario.budget || row.cost <= *scenario.budget;
      const auto other = std::find_if(choices.begin(), choices.end(),
                                      [&](const Choice& each) { return each.row->cluster != row.cluster; });
      if (other != choices.end()) answer.other = *other;
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
  const auto& base = scenario.clusters[chosen.cluster];
  std::vector<WhatIf> result;
  const auto add = [&](WhatIf::Kind kind, const std::string& what) -> Cluster& {
    return result.emplace_back(WhatIf{.what = what, .kind = kind, .cluster = base, .row = {}}).cluster;
  };
  if (chosen.nodes > 1)
    add(WhatIf::Kind::network, fmt::format("network {} times as fast", scenario.network_times)).network.GBps *=
        scenario.network_times;
  add(WhatIf::Kind::memory, fmt::format("memory {} times as large", scenario.memory_times)).memory_GB *=
      scenario.memory_times;
  if (base.next) {
    auto& cluster = add(WhatIf::Kind::device, "with " + base.next->device.name);
    take_figures(base.next->device, cluster);
    cluster.price_per_GPU_hour = base.next->price_per_GPU_hour;
  }
  for (auto& each : result) {
    auto one = scenario;
    one.clusters = {each.cluster};
    one.models = {scenario.models[chosen.model]};
    one.nodes = {chosen.nodes};
    const auto rows = make_plan(one);
    if (const auto choices = choices_of(rows, 0); !choices.empty()) {
      each.row = *choices.front().row;
      each.break_even_price = base.price_per_GPU_hour * chosen.days / each.row->days;
    }
  }
  return result;
}

}  // namespace ringmark::analysis
