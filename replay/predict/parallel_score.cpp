#include "replay/predict/parallel_score.hpp"

#include "base/errors.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/step/compute_model.hpp"
#include "replay/step/interval.hpp"

namespace ringmark::replay {
namespace {

ScoredStep score_of(const ParallelStep& step, const std::optional<Device>& given) {
  ScoredStep scored{step.id, step.family, step.step_s, 0};
  scored.refused = step.refused;
  if (!step.refused.empty()) return scored;
  try {
    const auto device = given ? *given : load_device(step.device);
    require_products(device, step.products, step.id + ": precision");
    scored.predicted_s = predicted(step, device).total_us / 1e6;
    const auto factors = interval_of({step.software, "megatron-core", 0, step.products}, device);
    scored.interval = {factors.low * scored.predicted_s, factors.high * scored.predicted_s};
  } catch (const BadUsage& error) {
    scored.refused = error.what();
  }
  return scored;
}

}  // namespace

RoleSimulation predicted(const ParallelStep& step, const Device& device) {
  const auto trace = megatron::generate(step.settings);
  ComputeModel compute{.device = device};
  compute.software = step.software;
  compute.products = step.products;
  if (step.has_graphs) compute.device.launch_us = 0;
  const RoleScene scene{durations_us(trace, compute), step.links.ranks_per_node,
                        device.knows_operators() ? usual_contention : 0};
  const auto network = make_network(step.links);
  return simulate(trace, scene, *network);
}

std::vector<ScoredStep> score(const std::vector<ParallelStep>& steps, const std::optional<Device>& device) {
  std::vector<ScoredStep> result;
  for (const auto& step : steps) result.push_back(score_of(step, device));
  return result;
}

}  // namespace ringmark::replay
