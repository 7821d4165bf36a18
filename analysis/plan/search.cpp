#include "analysis/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analysis/plan/operators.hpp"
#include "analysis/plan/replayed.hpp"
#include "analysis/plan/searched.hpp"
#include "replay/generate/mildest_change.hpp"

namespace ringmark::analysis {
namespace {

/// Rows of one configuration and different nodes. With a global batch the accumulation follows from the nodes.
auto configuration_of(const Scenario& scenario, const PlanRow& row) {
  return std::tuple(row.model, row.cluster, row.stage, row.recompute, row.micro_batch,
                    scenario.global_batch ? 0 : row.accumulation);
}

void compare_rows(const Scenario& scenario, std::vector<PlanRow>& rows) {
  std::map<decltype(configuration_of(scenario, rows.front())), std::size_t> smallest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    if (!row.fits) continue;
    row.smallest = smallest.try_emplace(configuration_of(scenario, row), i).first->second;
    const auto& small = rows[row.smallest];
    row.scaling_factor = row.tokens_per_s / row.ranks / (small.tokens_per_s / small.ranks);
  }
  constexpr double rounding = 1e-9;
  for (const auto& place : places_of(rows)) {
    for (const auto i : place.rows)
      rows[i].is_best = rows[i].tokens_per_s >= rows[place.rows.front()].tokens_per_s * (1 - rounding);
  }
}

void take_step(const Scenario& scenario, double step_s, PlanRow& row) {
  row.replay_factor = step_s / row.step_s;
  row.is_replayed = true;
  row.step_s = step_s;
  row.exposed_s = step_s - row.compute_s;
  estimate_costs(scenario, row);
}

/// Computation alone bounds a step from below, so that most rows need no replay. Steps of different batches are
/// compared by their tokens.
void replay_best(const Scenario& scenario, std::vector<PlanRow>& rows) {
  ReplayedSteps replayed;
  auto places = places_of(rows);
  std::erase_if(places, [](const PlanPlace& place) { return place.rows.empty(); });
  const auto traced = [&](const PlanPlace& place) { return std::pair(place.where[0], rows[place.rows[0]].ranks); };
  std::stable_sort(places.begin(), places.end(),
                   [&](const PlanPlace& a, const PlanPlace& b) { return traced(a) < traced(b); });
  for (auto& place : places) {
    const auto least_s_per_token = [&](std::size_t i) {
      return rows[i].compute_s / (rows[i].tokens_per_s * rows[i].step_s);
    };
    std::sort(place.rows.begin(), place.rows.end(),
              [&](std::size_t a, std::size_t b) { return least_s_per_token(a) < least_s_per_token(b); });
    double best = 1e300, second = 1e300;
    for (const auto i : place.rows) {
      if (least_s_per_token(i) > second) break;
      const auto step_s = replayed.step_s(scenario, rows[i]);
      if (step_s) take_step(scenario, *step_s, rows[i]);
      const double s_per_token = 1 / rows[i].tokens_per_s;
      if (s_per_token < best) {
        second = best;
        best = s_per_token;
      } else {
        second = std::min(second, s_per_token);
      }
    }
  }
}

std::vector<PlanRow> all_rows(const Scenario& scenario) {
  std::vector<PlanRow> rows;
  for (std::size_t model = 0; model < scenario.models.size(); ++model)
    for (std::size_t cluster = 0; cluster < scenario.clusters.size(); ++cluster)
      for (const int stage : scenario.stages)
        for (const bool recompute : scenario.recompute)
          for (const int micro_batch : scenario.micro_batches)
            for (const int accumulation : scenario.accumulations)
              for (std::size_t nodes = 0; nodes < scenario.nodes.size(); ++nodes)
                rows.push_back(
                    {model, cluster, nodes, stage, recompute, micro_batch, accumulation, scenario.nodes[nodes]});
  return rows;
}

std::string words_of(const Scenario& scenario, const PlanRow& from, const PlanRow& to) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
  if (to.micro_batch != from.micro_batch) add(fmt::format("micro_batch {}", to.micro_batch));
  if (to.recompute != from.recompute) add("recompute");
  if (to.stage != from.stage) add(fmt::format("stage {}", to.stage));
  if (to.nodes != from.nodes) add(fmt::format("{} nodes", to.nodes));
  if (!scenario.global_batch && to.accumulation != from.accumulation)
    add(fmt::format("accumulation {}", to.accumulation));
  return words;
}

}  // namespace

std::vector<PlanRow> make_plan(const Scenario& scenario) {
  auto rows = all_rows(scenario);
  OperatorTimes operators;
  for (auto& row : rows) {
    take_place(scenario, row);
    if (!row.fits) continue;
    estimate_step(scenario, operators.micro_step_s(scenario, row), row);
    estimate_costs(scenario, row);
  }
  if (scenario.replay) replay_best(scenario, rows);
  compare_rows(scenario, rows);
  return rows;
}

std::vector<PlanPlace> places_of(const std::vector<PlanRow>& rows) {
  std::map<std::array<std::size_t, 3>, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& place = places[{rows[i].model, rows[i].cluster, rows[i].nodes_index}];
    if (rows[i].fits) place.push_back(i);
  }
  std::vector<PlanPlace> result;
  for (auto& [where, some] : places) {
    std::stable_sort(some.begin(), some.end(),
                     [&](std::size_t a, std::size_t b) { return rows[a].tokens_per_s > rows[b].tokens_per_s; });
    result.push_back({where, std::move(some)});
  }
  return result;
}

std::string change_that_fits(const Scenario& scenario, const PlanRow& row) {
  const auto taken = [&](const replay::StepSettings& settings, std::uint64_t micro_batch) {
    auto changed = row;
    // The settings that were found have the smaller micro-batch already.
    const auto part = static_cast<std::uint64_t>(row.micro_batch) / micro_batch;
    changed.micro_batch = static_cast<int>(micro_batch);
    changed.accumulation = row.accumulation * static_cast<int>(part);
    changed.recompute = settings.recompute;
    changed.stage = settings.zero_stage;
    changed.nodes = static_cast<int>(settings.ranks / scenario.clusters[row.cluster].gpus_per_node);
    take_place(scenario, changed);
    return changed;
  };
  constexpr int most_doublings = 12;
  const auto settings = memory_settings(scenario, row);
  const auto most_ranks = static_cast<int>(std::min(1e9, std::ldexp(row.ranks, most_doublings)));
  const auto found = replay::mildest_change(settings, most_ranks, [&](const replay::StepSettings& each) {
    auto batch = each.micro_batch;
    while (batch > 0 && (each.micro_batch % batch != 0 || !taken(each, batch).fits)) --batch;
    return batch;
  });
  return found ? words_of(scenario, row, taken(*found, found->micro_batch)) : "";
}

}  // namespace ringmark::analysis
