#include "analysis/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "replay/generate/mildest_change.hpp"

namespace ringmark::analysis {
namespace {

constexpr double equal_within = 1e-9;

/// The order of rows in files.
bool is_before(const PlanRow& a, const PlanRow& b) {
  const auto order_of = [](const PlanRow& row) {
    return std::tuple(row.model, row.cluster, row.stage, row.shard_group, row.parallelism, row.recompute,
                      row.micro_batch, row.accumulation, row.nodes);
  };
  return order_of(a) < order_of(b);
}

double samples_of(const PlanRow& row) { return row.copies() * row.micro_batch * row.accumulation; }

bool is_faster(const PlanRow& a, const PlanRow& b) { return a.tokens_per_s > b.tokens_per_s; }

/// How GPUs share the model: only its states, or all of it.
struct Split {
  StateSharding sharding;
  Parallelism parallelism = {};
};

/// The scenario's splits, without duplicates on this number of nodes.
std::vector<Split> splits_of(const Scenario& scenario, const std::array<std::size_t, 3>& where) {
  const auto& cluster = scenario.clusters[where[1]];
  const int nodes = scenario.nodes[where[2]];
  if (scenario.has_roles()) {
    const auto gpus = static_cast<int>(cluster.gpus_per_node);
    std::vector<Split> splits;
    for (const auto& each : parallelisms_of(scenario.parallel, *scenario.models[where[0]].transformer, nodes * gpus,
                                            gpus, static_cast<int>(scenario.sequence)))
      splits.push_back({{scenario.stages.front(), 0}, each});
    return splits;
  }
  std::vector<StateSharding> shardings;
  for (const int stage : scenario.stages)
    for (const auto& group : scenario.shard_groups) {
      const StateSharding sharding{stage, group_size(group, scenario.framework.kind, stage,
                                                     nodes * cluster.gpus_per_node, cluster.gpus_per_node)};
      if (std::find(shardings.begin(), shardings.end(), sharding) == shardings.end()) shardings.push_back(sharding);
    }
  std::vector<Split> splits;
  for (const auto& sharding : shardings) splits.push_back({sharding});
  return splits;
}

/// The configurations of a place, with their memory and, where they fit, their bound.
std::vector<PlanRow> configurations(const Scenario& scenario, StepModel& steps,
                                    const std::array<std::size_t, 3>& where) {
  std::vector<PlanRow> rows;
  for (const auto& split : splits_of(scenario, where))
    for (const auto& recompute : scenario.recompute)
      for (const int micro_batch : scenario.micro_batches)
        for (const int accumulation : scenario.accumulations) {
          PlanRow row{.model = where[0],
                      .cluster = where[1],
                      .nodes_index = where[2],
                      .stage = split.sharding.stage,
                      .shard_group = split.sharding.group,
                      .parallelism = split.parallelism,
                      .recompute = recompute,
                      .micro_batch = micro_batch,
                      .accumulation = accumulation,
                      .nodes = scenario.nodes[where[2]]};
          steps.place(row);
          rows.push_back(row);
        }
  if (rows.empty()) {
    rows.push_back(
        {.model = where[0], .cluster = where[1], .nodes_index = where[2], .nodes = scenario.nodes[where[2]]});
    rows[0].is_possible = false;
    steps.place(rows[0]);
  }
  return rows;
}

/// Simulates what could be among the fastest `wanted`, one or two. Steps of different batches are compared by their
/// tokens, and those of different stages by their medians.
void simulate_best(const Scenario& scenario, StepModel& steps, std::vector<PlanRow>& rows, int wanted) {
  std::vector<std::pair<double, PlanRow*>> fitting;  // with a lower bound of its seconds per sample
  for (auto& row : rows) {
    if (row.fits) fitting.emplace_back(row.least_s * median_error(scenario, row) / samples_of(row), &row);
  }
  std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double best = std::numeric_limits<double>::infinity(), second = best;
  for (const auto& [least_s, row] : fitting) {
    if (least_s > (wanted == 1 ? best : second)) break;
    steps.simulate(*row);
    const double s_per_sample = row->median_s / samples_of(*row);
    second = std::min(second, std::max(best, s_per_sample));
    best = std::min(best, s_per_sample);
  }
  for (auto& row : rows) {
    if (row.is_simulated && row.median_s / samples_of(row) <= best * (1 + equal_within)) steps.take_rates(row);
  }
}

std::vector<PlanRow> simulated_of(std::vector<PlanRow> rows) {
  std::erase_if(rows, [](const PlanRow& row) { return !row.is_simulated; });
  std::stable_sort(rows.begin(), rows.end(), is_faster);
  return rows;
}

void mark_best(std::vector<PlanRow>& rows) {
  std::map<std::array<std::size_t, 2>, double> smallest;  // by model and cluster: tokens per second and GPU
  for (const auto& place : places_of(rows)) {             // in ascending order of nodes
    if (place.rows.empty()) continue;
    const auto& fastest = rows[place.rows.front()];
    const double rate =
        smallest.try_emplace({fastest.model, fastest.cluster}, fastest.tokens_per_s / fastest.ranks).first->second;
    for (const auto i : place.rows) {
      rows[i].is_best = rows[i].tokens_per_s >= fastest.tokens_per_s * (1 - equal_within);
      rows[i].scaling_factor = rows[i].tokens_per_s / rows[i].ranks / rate;
    }
  }
}

std::string words_of(const Scenario& scenario, const PlanRow& from, const PlanRow& to) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
  if (to.micro_batch != from.micro_batch) add(fmt::format("micro_batch {}", to.micro_batch));
  if (to.recompute != from.recompute) add("recompute " + name(to.recompute));
  if (to.stage != from.stage) add(fmt::format("stage {}", to.stage));
  if (to.shard_group != from.shard_group)
    add(fmt::format("{} {}", shard_group_key(to.framework),
                    to.shard_group > 0 ? std::to_string(to.shard_group) : "all"));
  if (to.nodes != from.nodes) add(fmt::format("{} nodes", to.nodes));
  if (!scenario.global_batch && to.accumulation != from.accumulation)
    add(fmt::format("accumulation {}", to.accumulation));
  return words;
}

}  // namespace

std::vector<PlanRow> best_of_place(const Scenario& scenario, StepModel& steps, const std::array<std::size_t, 3>& where,
                                   int wanted) {
  auto rows = configurations(scenario, steps, where);
  simulate_best(scenario, steps, rows, wanted);
  return simulated_of(std::move(rows));
}

std::vector<PlanRow> make_plan(const Scenario& scenario, StepCache& cache, const Progress& progress,
                               const Visit& visit) {
  StepModel steps(scenario, cache);
  std::vector<PlanRow> rows;
  std::size_t done = 0;
  const auto all = static_cast<double>(scenario.models.size() * scenario.nodes.size() * scenario.clusters.size());
  // Clusters are in the innermost loop, since they share traces.
  for (std::size_t model = 0; model < scenario.models.size(); ++model)
    for (std::size_t nodes = 0; nodes < scenario.nodes.size(); ++nodes)
      for (std::size_t cluster = 0; cluster < scenario.clusters.size(); ++cluster) {
        auto place = configurations(scenario, steps, {model, cluster, nodes});
        simulate_best(scenario, steps, place, 2);
        std::stable_sort(place.begin(), place.end(), is_before);
        if (visit) visit({model, cluster, nodes}, simulated_of(place));
        rows.insert(rows.end(), place.begin(), place.end());
        if (progress) progress(static_cast<double>(++done) / all);
      }
  std::stable_sort(rows.begin(), rows.end(), is_before);
  mark_best(rows);
  return rows;
}

std::vector<PlanPlace> places_of(const std::vector<PlanRow>& rows) {
  std::map<std::array<std::size_t, 3>, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& place = places[{rows[i].model, rows[i].cluster, rows[i].nodes_index}];
    if (rows[i].is_simulated) place.push_back(i);
  }
  std::vector<PlanPlace> result;
  for (auto& [where, some] : places) {
    std::stable_sort(some.begin(), some.end(),
                     [&](std::size_t a, std::size_t b) { return is_faster(rows[a], rows[b]); });
    result.push_back({where, std::move(some)});
  }
  return result;
}

const PlanRow& nearest_to_fit(const std::vector<PlanRow>& rows, const PlanPlace& place) {
  const auto misfit = [&](const PlanRow& row) {
    const bool is_elsewhere = std::array{row.model, row.cluster, row.nodes_index} != place.where;
    return std::tuple(is_elsewhere, row.accumulation == 0 || !row.is_divisible(), row.memory_GB);
  };
  return *std::min_element(rows.begin(), rows.end(),
                           [&](const PlanRow& a, const PlanRow& b) { return misfit(a) < misfit(b); });
}

std::string change_that_fits(const Scenario& scenario, const PlanRow& row) {
  if (row.has_roles())
    return "";  // the search has tried everything except other numbers of nodes, which the table shows
  RoleSteps role_steps;
  const auto taken = [&](const replay::StepSettings& settings, std::uint64_t micro_batch) {
    auto changed = row;
    // The settings that were found have the smaller micro-batch already.
    const auto part = static_cast<std::uint64_t>(row.micro_batch) / micro_batch;
    changed.micro_batch = static_cast<int>(micro_batch);
    changed.accumulation = row.accumulation * static_cast<int>(part);
    changed.recompute = settings.recompute;
    const auto sharding = sharding_of(settings);
    changed.stage = sharding.stage;
    changed.shard_group = sharding.group;
    changed.nodes = static_cast<int>(settings.ranks / scenario.clusters[row.cluster].gpus_per_node);
    take_place(scenario, role_steps, changed);
    return changed;
  };
  constexpr int most_doublings = 12;
  const auto settings = step_settings(scenario, row);
  const auto most_ranks = static_cast<int>(std::min(1e9, std::ldexp(row.ranks, most_doublings)));
  const auto found = replay::mildest_change(settings, most_ranks, [&](const replay::StepSettings& each) {
    auto batch = each.micro_batch;
    while (batch > 0 && (each.micro_batch % batch != 0 || !taken(each, batch).fits)) --batch;
    return batch;
  });
  return found ? words_of(scenario, row, taken(*found, found->micro_batch)) : "";
}

}  // namespace ringmark::analysis
