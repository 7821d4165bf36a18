#include "replay/predict/predicted_step.hpp"

#include <utility>

#include "replay/generate/generate.hpp"
#include "replay/trace/role_trace_file.hpp"

namespace ringmark::replay {

PredictedStep::PredictedStep(const PredictOptions& options, const StepTrace& computations)
    : model_(options.compute.model_for(computations)),
      is_modelled_(replay::is_modelled(options, computations, model_)),
      contention_(replay::contention_of(options, computations, model_)) {}

std::unique_ptr<PredictedStep> predicted_step(const PredictOptions& options, std::optional<int> ranks) {
  if (options.parallel) {
    auto step = *options.parallel;
    if (ranks) set_ranks(step, *ranks);
    return predicted_role_step(options, generate(std::move(step), options.compute.model.products));
  }
  if (options.step) {
    auto settings = options.step->settings;
    if (!ranks) return predicted_uniform_step(options, generate(options.step->model, settings), settings.ranks);
    settings.ranks = *ranks;
    return predicted_uniform_step(options, generate_briefly(options.step->model, settings), *ranks);
  }
  auto trace = read_any_trace(options.file);
  if (auto* with_roles = std::get_if<RoleTrace>(&trace)) return predicted_role_step(options, std::move(*with_roles));
  auto& uniform = std::get<StepTrace>(trace);
  const int all = options.ranks.value_or(uniform.ranks);
  return predicted_uniform_step(options, std::move(uniform), all);
}

}  // namespace ringmark::replay
