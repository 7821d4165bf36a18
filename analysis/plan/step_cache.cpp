#include "analysis/plan/step_cache.hpp"

#include <algorithm>
#include <stdexcept>

#include "analysis/plan/sharding.hpp"
#include "replay/generate/generate.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/timeline.hpp"

namespace ringmark::analysis {
namespace {

bool is_of_passes(const replay::Event& event) {
  return event.kind == replay::EventKind::compute && event.phase != replay::Phase::step;
}

}  // namespace

std::size_t StepCache::number_of(const replay::ComputeModel& compute) {
  const DeviceKey key{compute.device, compute.scale};
  const auto found = std::find(devices_.begin(), devices_.end(), key);
  const auto number = static_cast<std::size_t>(found - devices_.begin());
  if (found == devices_.end()) devices_.push_back(key);
  return number;
}

std::size_t StepCache::number_of(const replay::Links& links) {
  const auto found =
      std::find_if(networks_.begin(), networks_.end(), [&](const auto& each) { return each.first == links; });
  const auto number = static_cast<std::size_t>(found - networks_.begin());
  if (found == networks_.end()) networks_.emplace_back(links, replay::make_network(links));
  return number;
}

RoleMachine StepCache::role_machine(const replay::ComputeModel& compute, const replay::Links& links) {
  const auto network = number_of(links);
  return {number_of(compute), network, compute, links.ranks_per_node, *networks_[network].second};
}

void StepCache::forget_others(const replay::Model& model, const replay::StepSettings& settings) {
  if (&model != model_) {
    passes_.clear();
    durations_.clear();
  }
  if (&model != model_ || settings.ranks != ranks_ || settings.ranks_per_node != ranks_per_node_) steps_.clear();
  model_ = &model;
  ranks_ = settings.ranks;
  ranks_per_node_ = settings.ranks_per_node;
}

const StepCache::Step& StepCache::step(const replay::Model& model, const replay::StepSettings& settings) {
  forget_others(model, settings);
  const auto [stage, group] = sharding_of(settings);
  const auto [found, is_new] = steps_.try_emplace({stage, group, settings.recompute, settings.micro_steps});
  auto& step = found->second;
  if (!is_new) return step;
  step.trace = replay::generate_briefly(model, settings);
  const auto& events = step.trace.events;
  step.of_others = step.trace;
  step.of_others.events.clear();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!replay::computes(events[i])) continue;
    (is_of_passes(events[i]) ? step.passes : step.others).push_back(i);
    if (!is_of_passes(events[i])) step.of_others.events.push_back(events[i]);
  }
  step.graph = replay::graph_of(step.trace);
  return step;
}

const StepCache::Durations& StepCache::passes_us(const replay::Model& model, const replay::StepSettings& settings,
                                                 const replay::ComputeModel& compute) {
  forget_others(model, settings);
  const PassesKey key{settings.recompute, settings.micro_batch};
  const auto [found, is_new] = durations_.try_emplace({number_of(compute), key});
  if (!is_new) return found->second;
  const auto [of_passes, is_new_trace] = passes_.try_emplace(key);
  auto& trace = of_passes->second;
  if (is_new_trace) {
    replay::StepSettings alone;  // what is computed does not depend on ranks and sharding
    alone.framework = settings.framework;
    alone.micro_batch = settings.micro_batch;
    alone.sequence = settings.sequence;
    alone.recompute = settings.recompute;
    alone.software = settings.software;
    trace = replay::generate_briefly(model, alone);
  }
  const auto all = replay::durations_us(trace, compute);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_of_passes(trace.events[i])) found->second.push_back(all[i]);
  }
  return found->second;
}

double StepCache::passes_s(const replay::Model& model, const replay::StepSettings& settings,
                           const replay::ComputeModel& compute) {
  double sum = 0;
  for (const double us : passes_us(model, settings, compute)) sum += us / 1e6;
  return sum;
}

StepCache::Times StepCache::simulate(const replay::Model& model, const replay::StepSettings& settings,
                                     const replay::ComputeModel& compute, replay::Network& network) {
  const auto& [trace, graph, passes, others, of_others] = step(model, settings);
  const auto& in_passes = passes_us(model, settings, compute);
  const auto in_others = replay::durations_us(of_others, compute);
  if (passes.size() != in_passes.size() * static_cast<std::size_t>(settings.micro_steps))
    throw std::logic_error("a step's computations differ from those of its micro-steps");
  replay::Scene scene{.ranks = trace.ranks, .durations_us = std::vector<double>(trace.events.size())};
  for (std::size_t i = 0; i < passes.size(); ++i) scene.durations_us[passes[i]] = in_passes[i % in_passes.size()];
  for (std::size_t i = 0; i < others.size(); ++i) scene.durations_us[others[i]] = in_others[i];
  if (compute.device.knows_operators()) scene.contention = replay::usual_contention;
  const auto timeline = replay::simulate(trace, graph, scene, network).timeline;
  return {replay::times_of(trace, timeline).whole().computation_us / 1e6, timeline.total_us / 1e6};
}

StepCache::Times StepCache::times(const replay::Model& model, const replay::StepSettings& settings,
                                  const replay::ComputeModel& compute, const replay::Links& links) {
  const auto [stage, group] = sharding_of(settings);
  const auto network = number_of(links);
  const TimesKey key{&model,
                     number_of(compute),
                     network,
                     settings.ranks,
                     {stage, group, settings.recompute, settings.micro_steps},
                     settings.micro_batch};
  const auto [found, is_new] = times_.try_emplace(key);
  if (is_new) found->second = simulate(model, settings, compute, *networks_[network].second);
  return found->second;
}

}  // namespace ringmark::analysis
