#include "analysis/plan/role_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "replay/generate/megatron/chunk.hpp"
#include "replay/generate/megatron/memory.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/predict/simulate_roles.hpp"

namespace ringmark::analysis {
namespace {

using replay::megatron::Settings;

/// Periods are extrapolated once two in a row take equally long, and at the latest after most_periods.
constexpr double settled_within = 1e-3;
constexpr int most_periods = 8;

/// Two micro-batches of each stage, since stages that wait for messages may alternate. Further periods take as long as
/// the ones before once weights are gathered, and none needs more memory than the first two.
int period_of(const Settings& settings) { return 2 * settings.sizes.pipeline; }

replay::RoleSimulation simulate(const replay::RoleTrace& trace, const RoleMachine& machine) {
  return replay::simulate(trace, replay::usual_scene(trace, machine.compute, machine.gpus_per_node), machine.network);
}

RoleSteps::Times times_of(const Settings& settings, const RoleMachine& machine) {
  const auto simulation = simulate(replay::megatron::generate(settings), machine);
  const auto busiest =
      std::max_element(simulation.roles.begin(), simulation.roles.end(),
                       [](const auto& a, const auto& b) { return a.computation_us < b.computation_us; });
  return {busiest->computation_us / 1e6, busiest->bubble_us / 1e6, simulation.total_us / 1e6};
}

void set_micro_batches(Settings& settings, int number) {
  settings.global_batch =
      settings.micro_batch * static_cast<std::uint64_t>(settings.data_parallel()) * static_cast<std::uint64_t>(number);
}

/// Seconds of both passes of one micro-batch on each of two stages, without any communication between them and other
/// copies of the model. `has_experts` has an element for each layer.
std::array<double, 2> passes_s(Settings settings, const std::vector<bool>& has_experts, const RoleMachine& machine) {
  auto& sizes = settings.sizes;
  sizes.pipeline = 2;
  sizes.chunks = 1;
  settings.ranks = 2 * std::lcm(sizes.tensor * sizes.context, settings.expert_tensor() * sizes.expert);
  settings.model.layers = has_experts.size();
  settings.model.experts.of_layers = has_experts;
  settings.counts_embedding_as_layer = settings.counts_loss_as_layer = false;
  settings.last_layers.reset();
  settings.shards_optimizer = settings.overlaps_gradients = settings.overlaps_parameters = false;
  set_micro_batches(settings, 1);
  auto trace = replay::megatron::generate(settings);
  for (auto& role : trace.roles) {
    std::erase_if(role.plays, [&](const auto& play) {
      const auto& name = trace.passes[static_cast<std::size_t>(play.pass)].name;
      return name != "forward" && name != "backward";
    });
  }
  const auto simulation = simulate(trace, machine);
  return {simulation.roles[0].total_us / 1e6, simulation.roles[1].total_us / 1e6};
}

}  // namespace

RoleSteps::LayerKey RoleSteps::layer_key(const Transformer& model, const Settings& settings) {
  const auto& sizes = settings.sizes;
  return {
      &model, sizes.tensor, sizes.context, sizes.expert, settings.micro_batch, settings.sequence, settings.recompute};
}

RoleSteps::StepKey RoleSteps::step_key(const Transformer& model, const Settings& settings) {
  return {layer_key(model, settings), settings.sizes.pipeline, settings.sizes.chunks, settings.ranks,
          settings.micro_batches()};
}

RoleSteps::Times RoleSteps::times(const Transformer& model, const Settings& settings, const RoleMachine& machine) {
  const auto [found, is_new] = times_.try_emplace({machine.device, machine.links, step_key(model, settings)});
  auto& times = found->second;
  if (!is_new) return times;
  const int period = period_of(settings), all = settings.micro_batches();
  const auto simulated = [&](int micro_batches) {
    auto some = settings;
    set_micro_batches(some, micro_batches);
    return times_of(some, machine);
  };
  int number = std::min(all, period + all % period);
  times = simulated(number);
  Times last_growth;
  while (number < all) {
    const auto before = times;
    times = simulated(number += period);
    const Times growth{times.compute_s - before.compute_s, times.bubble_s - before.bubble_s,
                       times.step_s - before.step_s};
    const bool is_settled = std::abs(growth.step_s - last_growth.step_s) <= settled_within * growth.step_s;
    if (is_settled || number >= most_periods * period) {
      const double more = static_cast<double>(all - number) / period;
      return times = {times.compute_s + more * growth.compute_s, times.bubble_s + more * growth.bubble_s,
                      times.step_s + more * growth.step_s};
    }
    last_growth = growth;
  }
  return times;
}

const RoleSteps::PassTimes& RoleSteps::passes(const Transformer& model, const Settings& settings,
                                              const RoleMachine& machine) {
  const auto [found, is_new] = passes_.try_emplace({machine.device, machine.links, layer_key(model, settings)});
  auto& times = found->second;
  if (!is_new) return times;
  const auto [first_s, last_s] = passes_s(settings, {false, false}, machine);
  times.dense_s = passes_s(settings, {false, false, false, false}, machine)[0] - first_s;
  if (model.experts.count > 0) times.expert_s = passes_s(settings, {false, true, false, true}, machine)[0] - first_s;
  times.embedding_s = first_s - times.dense_s;
  times.head_s = last_s - times.dense_s;
  return times;
}

double RoleSteps::least_s(const Transformer& model, const Settings& settings, const RoleMachine& machine) {
  const auto& times = passes(model, settings, machine);
  double least = 0, way_s = 0;
  for (int stage = 0; stage < settings.sizes.pipeline; ++stage) {
    double stage_s = 0, first_chunk_s = 0;
    for (const auto& place : replay::megatron::places_of(settings, stage)) {
      if (place.has_embedding) stage_s += times.embedding_s;
      for (auto layer = place.first_layer; layer < place.first_layer + place.layers; ++layer)
        stage_s += model.has_experts(layer) ? times.expert_s : times.dense_s;
      if (place.has_head) stage_s += times.head_s;
      if (first_chunk_s <= 0) first_chunk_s = stage_s;
    }
    least = std::max(least, way_s + stage_s * settings.micro_batches());
    way_s += first_chunk_s;
  }
  return least;
}

double RoleSteps::memory_bytes(const Transformer& model, const Settings& settings) {
  auto shorter = settings;
  const int period = period_of(settings), all = settings.micro_batches();
  set_micro_batches(shorter, std::min(all, 2 * period + all % period));
  const auto [found, is_new] = memory_bytes_.try_emplace(step_key(model, shorter));
  if (is_new) found->second = replay::total_bytes(replay::megatron::memory_of(shorter));
  return found->second;
}

}  // namespace ringmark::analysis
