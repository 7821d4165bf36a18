#include "analysis/plan/replayed.hpp"

#include "replay/generate/generate.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::analysis {
namespace {

constexpr double without_copies_GBps = 1e9;
/// From the third micro-step on each takes as long as the one before.
constexpr int fewest_settled = 4;

replay::StepSettings settings_of(const Scenario& scenario, const Cluster& cluster, const PlanRow& row) {
  replay::StepSettings settings;
  settings.zero_stage = row.stage;
  settings.ranks = static_cast<int>(row.ranks);
  settings.ranks_per_node = static_cast<int>(cluster.gpus_per_node);
  settings.micro_steps = row.accumulation;
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.recompute = row.recompute;
  settings.software = scenario.software;
  settings.overlap_comm = scenario.overlap > 0;
  settings.scatter_gradients = scenario.reduce_scatter && (row.stage == 1 || row.stage == 2);
  settings.reduce_bucket = static_cast<std::uint64_t>(scenario.bucket_elements);
  return settings;
}

}  // namespace

const replay::StepTrace& ReplayedSteps::trace_of(const Scenario& scenario, const PlanRow& row, int micro_steps) {
  const auto& cluster = scenario.clusters[row.cluster];
  const std::array traced{static_cast<double>(row.model), row.ranks, cluster.gpus_per_node};
  if (traced != traced_) traces_.clear();
  traced_ = traced;
  const auto [found, is_new] = traces_.try_emplace({row.stage, row.recompute ? 1 : 0, row.micro_batch, micro_steps});
  if (is_new) {
    auto settings = settings_of(scenario, cluster, row);
    settings.micro_steps = micro_steps;
    found->second = replay::generate_briefly(*scenario.models[row.model].model, settings);
  }
  return found->second;
}

double ReplayedSteps::simulated_s(const Scenario& scenario, const PlanRow& row, int micro_steps) {
  const auto& cluster = scenario.clusters[row.cluster];
  const auto& trace = trace_of(scenario, row, micro_steps);
  replay::ComputeModel compute{.device = cluster.device ? *cluster.device : replay::load_device("a100")};
  compute.software = scenario.software.value_or(replay::usual_software);
  compute.products = scenario.products;
  if (!cluster.device) {
    // The device tells how layers compare; how long they take altogether is the plan's own arithmetic, which knows of
    // no copies.
    const double micro_ms = row.compute_s / row.accumulation * 1e3, passes = row.recompute ? 4 : 3;
    compute.device.memory_GBps = without_copies_GBps;
    compute.forward_ms = micro_ms / passes;
    compute.backward_ms = micro_ms - micro_ms / passes;
    compute.step_ms = 0;
  }
  const auto& path = row.nodes == 1 ? cluster.intra : cluster.network;
  auto& network = networks_[{path.alpha_us, path.GBps, path.burst_bytes}];
  if (!network) {
    network = replay::make_network(
        replay::Links{.between = {path.alpha_us, path.GBps}, .within = {}, .burst_bytes = path.burst_bytes});
  }
  replay::Scene scene{.ranks = trace.ranks, .durations_us = replay::durations_us(trace, compute)};
  for (double& us : scene.durations_us) us *= cluster.slowdown_of_device();
  if (cluster.device && cluster.device->knows_operators()) scene.contention = replay::usual_contention;
  return replay::simulate(trace, scene, *network).timeline.total_us / 1e6;
}

std::optional<double> ReplayedSteps::step_s(const Scenario& scenario, const PlanRow& row) {
  if (!row.fits || row.ranks < 2 || !scenario.models[row.model].model) return std::nullopt;
  if (row.accumulation <= fewest_settled) return simulated_s(scenario, row, row.accumulation);
  const double settled_s = simulated_s(scenario, row, fewest_settled);
  const double more_s = settled_s - simulated_s(scenario, row, fewest_settled - 1);
  return settled_s + (row.accumulation - fewest_settled) * more_s;
}

}  // namespace ringmark::analysis
