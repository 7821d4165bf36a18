#include "replay/predict/parallel_score.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/generate/memory_fit.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/step/interval.hpp"

namespace ringmark::replay {
namespace {

constexpr double bytes_of_GiB = 1ULL << 30U;

ComputeModel model_of(const ParallelStep& step, const Device& device) {
  ComputeModel model{.device = device};
  model.software = step.software;
  model.products = step.products;
  if (step.has_graphs) model.device.launch_us = 0;
  return model;
}

RoleSimulation simulate_on(const Links& links, const RoleTrace& trace, const ComputeModel& model) {
  const auto network = make_network(links);
  return simulate(trace, usual_scene(trace, model, links.ranks_per_node), *network);
}

ScoredStep score_of(const ParallelStep& step, const std::optional<Device>& given) {
  ScoredStep scored{step.id, step.family, step.step_s, 0};
  scored.refused = step.refused;
  if (!step.refused.empty()) return scored;
  try {
    const auto device = given ? *given : load_device(step.device);
    require_products(device, step.products, step.id + ": precision");
    const auto trace = megatron::generate(step.settings);
    const auto model = model_of(step, device);
    scored.predicted_s = simulate_on(step.links, trace, model).total_us / 1e6;
    double bytes = 0;
    for (const auto& role : trace.roles) {
      bytes = std::max(bytes, total_bytes(role.memory));
      scored.fits = scored.fits && fits(role.memory, device.memory_GiB * bytes_of_GiB);
    }
    scored.memory_GiB = bytes / bytes_of_GiB;
    const auto factors = interval_of(family_of(trace, model), device);
    scored.interval = {factors.low * scored.predicted_s, factors.high * scored.predicted_s};
  } catch (const BadUsage& error) {
    scored.refused = error.what();
  }
  return scored;
}

}  // namespace

std::vector<ScoredStep> score(const std::vector<ParallelStep>& steps, const std::optional<Device>& device) {
  std::vector<ScoredStep> result;
  for (const auto& step : steps) result.push_back(score_of(step, device));
  return result;
}

}  // namespace ringmark::replay
