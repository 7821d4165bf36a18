#include "analysis/plan/step_model.hpp"

#include <algorithm>

namespace ringmark::analysis {
namespace {

/// From the third micro-step on each takes as long as the one before.
constexpr int fewest_settled = 4;
/// Memory bandwidth of a GPU that the scenario describes by its peak alone, so that copies take no time.
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
  compute.software = scenario_.software.value_or(replay::usual_software);
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

double StepModel::least_s(const PlanRow& row) {
  const auto compute = compute_model(scenario_.clusters[row.cluster]);
  return cache_.passes_s(*scenario_.models[row.model].model, step_settings(scenario_, row), compute) * row.accumulation;
}

StepCache::Times StepModel::times_of(const PlanRow& row, const Cluster& cluster) {
  auto settings = step_settings(scenario_, row);
  const auto of = [&](int micro_steps) {
    settings.micro_steps = micro_steps;
    return cache_.times(*scenario_.models[row.model].model, settings, compute_model(cluster), links_of(cluster));
  };
  auto times = of(std::min(row.accumulation, fewest_settled));
  if (row.accumulation > fewest_settled) {
    const auto before = of(fewest_settled - 1);
    const double more = row.accumulation - fewest_settled;
    times.compute_s += more * (times.compute_s - before.compute_s);
    times.step_s += more * (times.step_s - before.step_s);
  }
  return times;
}

void StepModel::simulate(PlanRow& row) {
  const auto times = times_of(row, scenario_.clusters[row.cluster]);
  row.compute_s = times.compute_s;
  row.step_s = times.step_s;
  row.exposed_s = times.step_s - times.compute_s;
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
