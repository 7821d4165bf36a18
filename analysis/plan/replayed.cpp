#include "analysis/plan/replayed.hpp"

#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::analysis {
namespace {

constexpr double without_copies_GBps = 1e9;

/// By the shape too: a scenario may give another one under a shipped name.
std::optional<replay::Model> shipped_model(const ModelShape& shape) {
  const auto shipped = find_model(shape.name);
  if (!shipped || shipped->parameters != shape.parameters || shipped->layers != shape.layers) return std::nullopt;
  return replay::load_model(shape.name);
}

replay::StepSettings settings_of(const Scenario& scenario, const Cluster& cluster, const PlanRow& row) {
  replay::StepSettings settings;
  settings.zero_stage = row.stage;
  settings.ranks = static_cast<int>(row.ranks);
  settings.ranks_per_node = static_cast<int>(cluster.gpus_per_node);
  settings.micro_steps = row.accumulation;
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.recompute = scenario.recompute;
  settings.overlap_comm = scenario.overlap > 0;
  settings.scatter_gradients = scenario.reduce_scatter && (row.stage == 1 || row.stage == 2);
  settings.reduce_bucket = static_cast<std::uint64_t>(scenario.bucket_elements);
  return settings;
}

}  // namespace

std::optional<double> ReplayedSteps::step_s(const Scenario& scenario, const PlanRow& row) {
  if (!row.fits || row.ranks < 2) return std::nullopt;
  const auto [found, is_new] = models_.try_emplace(row.model);
  if (is_new) found->second = shipped_model(scenario.models[row.model]);
  if (!found->second) return std::nullopt;

  const auto& cluster = scenario.clusters[row.cluster];
  const auto trace = replay::generate(*found->second, settings_of(scenario, cluster, row));
  // The device tells how layers compare; how long they take altogether is the plan's own arithmetic, which knows of no
  // copies.
  const double micro_ms = row.compute_s / row.accumulation * 1e3, passes = scenario.recompute ? 4 : 3;
  replay::ComputeModel compute{.device = replay::load_device("a100")};
  compute.device.memory_GBps = without_copies_GBps;
  compute.forward_ms = micro_ms / passes;
  compute.backward_ms = micro_ms - micro_ms / passes;
  compute.step_ms = 0;
  const auto& path = row.nodes == 1 ? cluster.intra : cluster.network;
  auto& network = networks_[{path.alpha_us, path.GBps, path.burst_bytes}];
  if (!network) {
    network = replay::make_network(
        replay::Links{.between = {path.alpha_us, path.GBps}, .within = {}, .burst_bytes = path.burst_bytes});
  }
  const replay::Scene scene{.ranks = trace.ranks, .durations_us = replay::durations_us(trace, compute)};
  return replay::simulate(trace, scene, *network).timeline.total_us / 1e6;
}

}  // namespace ringmark::analysis
