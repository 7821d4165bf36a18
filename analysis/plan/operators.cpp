#include "analysis/plan/operators.hpp"

#include <algorithm>
#include <cmath>

#include "replay/generate/generate.hpp"
#include "replay/model/architectures.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::analysis {
namespace {

replay::Architecture architecture_of(const ModelShape& shape) {
  const auto whole = [](double value) { return static_cast<std::uint64_t>(std::max(1.0, std::round(value))); };
  replay::Architecture architecture{shape.name, replay::Architecture::Family::gpt2};
  architecture.layers = whole(shape.layers);
  architecture.hidden = whole(shape.hidden);
  architecture.heads = architecture.key_heads = whole(shape.heads);
  architecture.vocabulary = whole(shape.vocabulary);
  architecture.positions = 1;
  architecture.is_tied = true;
  // Attention has four matrices of the width squared; the rest of a layer are the two of the feed-forward part.
  const double in_layers = shape.parameters - shape.vocabulary * shape.hidden;
  architecture.feed_forward = whole(in_layers / shape.layers / (2 * shape.hidden) - 2 * shape.hidden);
  return architecture;
}

}  // namespace

replay::Model model_of_shape(const ModelShape& shape) {
  if (shape.model) return *shape.model;
  auto model = replay::make_model(architecture_of(shape));
  model.type.clear();  // the layers are GPT-2's in size alone
  return model;
}

std::optional<double> OperatorTimes::micro_step_s(const Scenario& scenario, const PlanRow& row) {
  const auto& cluster = scenario.clusters[row.cluster];
  if (!cluster.device) return std::nullopt;
  const auto [found, is_new] = times_.try_emplace(
      {row.model, row.cluster, static_cast<std::size_t>(row.micro_batch), std::size_t{row.recompute ? 1U : 0U}});
  if (!is_new) return found->second;
  const auto [model, is_first] = models_.try_emplace(row.model);
  if (is_first) model->second = model_of_shape(scenario.models[row.model]);
  replay::StepSettings settings;
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.recompute = row.recompute;
  const auto trace = replay::generate_briefly(model->second, settings);
  replay::ComputeModel compute{.device = *cluster.device};
  compute.software = scenario.software.value_or(replay::usual_software);
  compute.products = scenario.products;
  const auto durations = replay::durations_us(trace, compute);
  double sum_us = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if (trace.events[i].kind == replay::EventKind::compute && trace.events[i].phase != replay::Phase::step)
      sum_us += durations[i];
  }
  return found->second = sum_us / 1e6 * cluster.slowdown_of_device();
}

}  // namespace ringmark::analysis
