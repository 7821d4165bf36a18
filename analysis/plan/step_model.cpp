#include "analysis/plan/step_model.hpp"

#include "replay/generate/generate.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::analysis {
namespace {

/// From the third micro-step on each takes as long as the one before.
constexpr int fewest_settled = 4;
/// Memory bandwidth of a GPU that the scenario describes by its peak alone, so that copies take no time.
constexpr double unlimited_GBps = 1e9;

}  // namespace

const replay::StepTrace& Traces::of(const replay::Model& model, const replay::StepSettings& settings) {
  if (&model != model_ || settings.ranks != ranks_ || settings.ranks_per_node != ranks_per_node_) traces_.clear();
  model_ = &model;
  ranks_ = settings.ranks;
  ranks_per_node_ = settings.ranks_per_node;
  const auto [stage, group] = sharding_of(settings);
  const auto [found, is_new] =
      traces_.try_emplace({stage, group, settings.recompute, settings.micro_batch, settings.micro_steps});
  if (is_new) found->second = replay::generate_briefly(model, settings);
  return found->second;
}

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
          .launch_us = cluster.network.launch_us};
}

replay::Network& StepModel::network_of(std::size_t cluster, const Rates& rates) {
  auto& network = networks_[{cluster, rates}];
  if (!network) {
    auto changed = scenario_.clusters[cluster];
    changed.network.GBps *= rates.network;
    changed.intra.GBps *= rates.intra;
    network = replay::make_network(links_of(changed));
  }
  return *network;
}

double StepModel::least_s(const PlanRow& row) {
  const auto [found, is_new] = micro_steps_s_.try_emplace({row.model, row.cluster, row.micro_batch, row.recompute});
  if (is_new) {
    replay::StepSettings alone;  // what is computed does not depend on ranks and sharding
    const auto settings = step_settings(scenario_, row);
    alone.framework = settings.framework;
    alone.micro_batch = settings.micro_batch;
    alone.sequence = settings.sequence;
    alone.recompute = settings.recompute;
    alone.software = settings.software;
    const auto trace = replay::generate_briefly(*scenario_.models[row.model].model, alone);
    const auto durations = replay::durations_us(trace, compute_model(scenario_.clusters[row.cluster]));
    for (std::size_t i = 0; i < durations.size(); ++i) {
      if (trace.events[i].kind == replay::EventKind::compute && trace.events[i].phase != replay::Phase::step)
        found->second += durations[i] / 1e6;
    }
  }
  return found->second * row.accumulation;
}

StepModel::Times StepModel::times_of(const PlanRow& row, int micro_steps, const Rates& rates) {
  auto settings = step_settings(scenario_, row);
  settings.micro_steps = micro_steps;
  const auto& trace = traces_.of(*scenario_.models[row.model].model, settings);
  const auto compute = compute_model(scenario_.clusters[row.cluster]);
  replay::Scene scene{.ranks = trace.ranks, .durations_us = replay::durations_us(trace, compute)};
  if (compute.device.knows_operators()) scene.contention = replay::usual_contention;
  const auto timeline = replay::simulate(trace, scene, network_of(row.cluster, rates)).timeline;
  return {replay::times_of(trace, timeline).whole().computation_us / 1e6, timeline.total_us / 1e6};
}

StepModel::Times StepModel::times_of(const PlanRow& row, const Rates& rates) {
  auto times = times_of(row, std::min(row.accumulation, fewest_settled), rates);
  if (row.accumulation > fewest_settled) {
    const auto before = times_of(row, fewest_settled - 1, rates);
    const double more = row.accumulation - fewest_settled;
    times.compute_s += more * (times.compute_s - before.compute_s);
    times.step_s += more * (times.step_s - before.step_s);
  }
  return times;
}

void StepModel::simulate(PlanRow& row) {
  const auto times = times_of(row, {});
  row.compute_s = times.compute_s;
  row.step_s = times.step_s;
  row.exposed_s = times.step_s - times.compute_s;
  row.is_simulated = true;
  take_costs(scenario_, row);
}

void StepModel::take_rates(PlanRow& row) {
  const auto& cluster = scenario_.clusters[row.cluster];
  const auto of = [&](double Rates::*rate, const Interval& range) {
    if (range.low >= 1 && range.high <= 1) return Cumulants{};
    const auto over_planned = [&](double factor) {
      Rates rates;
      rates.*rate = factor;
      return times_of(row, rates).step_s / row.step_s;
    };
    return cumulants_of({over_planned(range.high), over_planned(range.low)});
  };
  row.of_rates = of(&Rates::intra, cluster.intra.GBps_range);
  if (row.nodes > 1) row.of_rates = row.of_rates + of(&Rates::network, cluster.network.GBps_range);
  take_costs(scenario_, row);
}

}  // namespace ringmark::analysis
