#include "analysis/plan/step_model.hpp"

#include <algorithm>

namespace ringmark::analysis {
namespace {

/// From the third micro-step on each takes as long as the one before.
constexpr int fewest_settled = 4;
/// Memory bandwidth of a GPU that the scenario describes only by its peak, so that copies take no time.
constexpr double unlimited_GBps = 1e9;

}  // namespace

replay::ComputeModel StepModel::compute_model(const Cluster& cluster) const {
  replay::ComputeModel compute;
  if (cluster.device) {
    compute.device = *cluster.device;
  } else {
    compute.device = {.name = cluster.name,
                      .peak_TFLOPS = cluster.peak_TFLOPS,
                      .efficiency = cluster.efficiency,
                      .memory_GBps = unlimited_GBps};
  }
  compute.scale = cluster.slowdown_of_device();
  compute.software = scenario_.software_kind();
  compute.products = scenario_.products;
  return compute;
}

replay::Links links_of(const Cluster& cluster) {
  return {.between = {cluster.network.alpha_us, cluster.network.GBps},
          .within = replay::Link{cluster.intra.alpha_us, cluster.intra.GBps},
          .ranks_per_node = static_cast<int>(cluster.gpus_per_node),
          .burst_bytes = cluster.network.burst_bytes,
          .transport = cluster.network.transport,
          .launch_us = cluster.network.launch_us,
          .miss_percent = cluster.network.miss_percent};
}

void StepModel::place(PlanRow& row) {
  take_place(scenario_, cache_.role_steps(), row);
  if (row.fits) row.least_s = least_s(row);
}

double StepModel::least_s(const PlanRow& row) {
  const auto& cluster = scenario_.clusters[row.cluster];
  const auto compute = compute_model(cluster);
  if (row.has_roles())
    return cache_.role_steps().least_s(*scenario_.models[row.model].transformer, role_settings(scenario_, row),
                                       cache_.role_machine(compute, links_of(cluster)));
  return cache_.passes_s(*scenario_.models[row.model].model, step_settings(scenario_, row), compute) * row.accumulation;
}

RoleSteps::Times StepModel::times_of(const PlanRow& row, const Cluster& cluster) {
  const auto& model = scenario_.models[row.model];
  const auto compute = compute_model(cluster);
  const auto links = links_of(cluster);
  if (row.has_roles())
    return cache_.role_steps().times(*model.transformer, role_settings(scenario_, row),
                                     cache_.role_machine(compute, links));
  auto settings = step_settings(scenario_, row);
  const auto of = [&](int micro_steps) {
    settings.micro_steps = micro_steps;
    return cache_.times(*model.model, settings, compute, links);
  };
  auto times = of(std::min(row.accumulation, fewest_settled));
  if (row.accumulation > fewest_settled) {
    const auto before = of(fewest_settled - 1);
    const double more = row.accumulation - fewest_settled;
    times.compute_s += more * (times.compute_s - before.compute_s);
    times.step_s += more * (times.step_s - before.step_s);
  }
  return {.compute_s = times.compute_s, .step_s = times.step_s};
}

void StepModel::simulate(PlanRow& row) {
  const auto times = times_of(row, scenario_.clusters[row.cluster]);
  row.compute_s = times.compute_s;
  row.step_s = times.step_s;
  row.bubble_s = times.bubble_s;
  row.exposed_s = times.step_s - times.compute_s - times.bubble_s;
  row.is_simulated = true;
  take_costs(scenario_, row);
}

void StepModel::take_rates(PlanRow& row) {
  const auto& cluster = scenario_.clusters[row.cluster];
  const auto of = [&](PathCost Cluster::*path) {
    const auto& range = (cluster.*path).GBps_range;
    if (range.low >= 1 && range.high <= 1) return Cumulants{};
    const auto over_planned = [&](double factor) {
      auto changed = cluster;
      (changed.*path).GBps *= factor;
      return times_of(row, changed).step_s / row.step_s;
    };
    return cumulants_of({over_planned(range.high), over_planned(range.low)});
  };
  row.of_rates = of(&Cluster::intra);
  if (row.nodes > 1) row.of_rates = row.of_rates + of(&Cluster::network);
  take_costs(scenario_, row);
}

}  // namespace ringmark::analysis
