#include "analysis/plan/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/plan/searched.hpp"
#include "replay/step/interval.hpp"

namespace ringmark::analysis {
namespace {

const PathCost& path_of(const Cluster& cluster, const PlanRow& row) {
  return row.nodes == 1 ? cluster.intra : cluster.network;
}

constexpr double hours_per_day = 24, seconds_per_day = 86400;

}  // namespace

replay::StepSettings memory_settings(const Scenario& scenario, const PlanRow& row) {
  replay::StepSettings settings;
  settings.framework.version = {0, 17, 6};  // stage 0 keeps all states from here on
  settings.zero_stage = row.stage;
  settings.ranks = static_cast<int>(row.ranks);
  settings.micro_steps = std::max(1, row.accumulation);
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.recompute = row.recompute;
  settings.overlap_comm = scenario.overlap > 0;
  settings.reduce_bucket = static_cast<std::uint64_t>(scenario.bucket_elements);
  settings.software = scenario.software;
  return settings;
}

replay::MemoryShape memory_shape(const ModelShape& model, bool recompute) {
  return {model.parameters, model.parameters,      2 * model.vocabulary * model.hidden,
          model.layers,     model.hidden,          model.heads,
          model.vocabulary, recompute ? 1.0 : 0.0, model.eager_kept};
}

void take_place(const Scenario& scenario, PlanRow& row) {
  const auto& model = scenario.models[row.model];
  const auto& cluster = scenario.clusters[row.cluster];
  row.ranks = row.nodes * cluster.gpus_per_node;
  if (scenario.global_batch) row.accumulation = accumulation_of(*scenario.global_batch, row.ranks, row.micro_batch);
  const auto memory = replay::memory_of(memory_shape(model, row.recompute), memory_settings(scenario, row));
  row.memory_GB = replay::total_bytes(memory) / 1e9;
  row.fits = row.accumulation > 0 && row.memory_GB <= cluster.memory_GB - cluster.reserve_GB;
  const auto& path = path_of(cluster, row);
  row.is_beyond_fit = path.is_fitted && row.ranks > path.fitted_ranks;
}

void estimate_step(const Scenario& scenario, std::optional<double> given_micro_s, PlanRow& row) {
  const auto& model = scenario.models[row.model];
  const auto& cluster = scenario.clusters[row.cluster];
  const auto& path = path_of(cluster, row);
  const double p = model.parameters, n = row.ranks, a = row.accumulation;
  const double tokens = row.micro_batch * scenario.sequence;  // of a rank and micro-step
  const double forward = tokens * (2 * model.multiplied() + 2 * model.layers * scenario.sequence * model.hidden);
  const double passes = row.recompute ? 4 : 3;
  const double flat_s = passes * forward / (cluster.peak_TFLOPS * 1e12 * cluster.efficiency);
  const double micro_s = given_micro_s.value_or(flat_s);
  row.compute_factor = micro_s / flat_s;
  row.compute_s = a * micro_s;

  const double share = (n - 1) / n, calls = std::ceil(p / scenario.bucket_elements);
  const bool scatters = row.stage == 3 || (scenario.reduce_scatter && row.stage > 0);
  const double gradient_rounds = row.stage >= 2 ? a : 1;
  const double gradient_bytes = gradient_rounds * (scatters ? 2 : 4) * share * p;
  const double gradient_steps = gradient_rounds * calls * (scatters ? 1 : 2) * (n - 1);
  const double gathers = row.stage == 0 ? 0 : row.stage == 3 ? a * model.gather_ratio : 1;
  const double parameter_calls = row.stage == 3 ? model.layers : 1;
  const double parameter_bytes = gathers * 2 * share * p, parameter_steps = gathers * parameter_calls * (n - 1);
  const auto seconds = [&](double bytes, double steps) {
    return bytes / (path.GBps * 1e9) + steps * path.alpha_us / 1e6;
  };
  row.gradient_s = seconds(gradient_bytes, gradient_steps);
  row.parameter_s = seconds(parameter_bytes, parameter_steps);

  // Gradients can hide behind the backward pass that makes them: of the last micro-step, or of all. Stage 3 gathers
  // ahead, so that everything can.
  const double backward_s = micro_s * (passes - 1) / passes;
  // One bucket is flushed after the pass, and stage 0 reduces there.
  const bool none_hides = row.stage == 0 || (row.stage < 3 && calls <= 1);
  const double beside_s = none_hides ? 0 : row.stage == 3 ? a * micro_s : row.stage == 2 ? a * backward_s : backward_s;
  row.window_s = scenario.overlap * beside_s;
  const bool all_can_hide = row.stage == 3;
  const double hidden_s = row.gradient_s + (all_can_hide ? row.parameter_s : 0);
  row.exposed_s = std::max(0.0, hidden_s - row.window_s) + (all_can_hide ? 0 : row.parameter_s);
  row.step_s = row.compute_s + row.exposed_s;
  const double bytes = gradient_bytes + (all_can_hide ? parameter_bytes : 0);
  const double left_s = row.window_s - (gradient_steps + (all_can_hide ? parameter_steps : 0)) * path.alpha_us / 1e6;
  if (left_s > 0 && bytes > 0) row.hidden_from_GBps = bytes / left_s / 1e9;
}

void estimate_costs(const Scenario& scenario, PlanRow& row) {
  const auto& model = scenario.models[row.model];
  const auto& cluster = scenario.clusters[row.cluster];
  const double n = row.ranks, tokens = row.micro_batch * scenario.sequence * row.accumulation;
  if (cluster.device) {
    // A plan names no framework, so that it is in no family to which constants were fitted.
    const replay::StepFamily family{.software = scenario.software.value_or(replay::usual_software),
                                    .framework = {},
                                    .zero_stage = row.stage,
                                    .products = scenario.products};
    const auto interval = replay::interval_of(family, *cluster.device);
    row.interval_low_s = row.step_s * interval.low;
    row.interval_high_s = row.step_s * interval.high;
  }
  row.tokens_per_s = n * tokens / row.step_s;
  row.samples_per_s = row.tokens_per_s / scenario.sequence;
  const double operations =
      replay::training_operations_of_a_token(model.multiplied(), model.layers, model.hidden, scenario.sequence);
  row.mfu = row.tokens_per_s * operations / (n * cluster.peak_TFLOPS * 1e12);
  row.goodput = goodput_of(cluster.failures, row.nodes);
  row.days = scenario.tokens / row.tokens_per_s / seconds_per_day / (row.goodput * scenario.utilisation);
  row.cost = row.days * hours_per_day * n * cluster.price_per_GPU_hour;
  row.cost_per_Btok = row.cost / (scenario.tokens / 1e9);
  row.energy_MWh = row.days * hours_per_day * n * cluster.power_kW_per_GPU / 1000;
}

}  // namespace ringmark::analysis
