#include "replay/run/replay_plan.hpp"

#include <memory>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/generate/generate.hpp"
#include "replay/trace/fingerprint.hpp"
#include "replay/trace/rank_steps.hpp"

namespace ringmark::replay {
namespace {

void require_ranks(const std::string& file, int made_for, int ranks) {
  if (made_for == ranks) return;
  throw BadUsage(
      fmt::format("{}: was made for {} ranks, but {} were started; generate it for this number of ranks, or give "
                  "--model and the step's flags instead",
                  file, made_for, ranks));
}

/// A step with roles and its ranks' steps, which refer to it.
struct RoleSteps {
  RoleSteps(RoleTrace with_roles, std::vector<std::vector<double>> durations_us)
      : trace(std::move(with_roles)), of_ranks(trace, std::move(durations_us)) {}

  RoleTrace trace;
  RankSteps of_ranks;
};

std::optional<RoleTrace> role_trace_of(const ReplayOptions& options, const AnyTrace& given, int ranks) {
  if (options.parallel) {
    auto parallel = *options.parallel;
    std::visit([&](auto& step) { step.settings.ranks = ranks; }, parallel);
    return generate(std::move(parallel), options.compute.model.products);
  }
  const auto* with_roles = options.step ? nullptr : std::get_if<RoleTrace>(&given);
  if (with_roles == nullptr) return std::nullopt;
  require_ranks(options.file, with_roles->ranks, ranks);
  return *with_roles;
}

void plan_roles(const ComputeFlags::Given& compute, RoleTrace trace, int rank, ReplayPlan& plan) {
  auto durations = durations_us(trace, compute.model_for(computations_of(trace)));
  compute.scale_sizes(trace);
  plan.fingerprint = fingerprint(trace);
  const auto steps = std::make_shared<const RoleSteps>(std::move(trace), std::move(durations));
  plan.step_of = [steps](int other) { return steps->of_ranks.of(other).trace; };
  auto own = steps->of_ranks.of(rank);
  plan.trace = std::move(own.trace);
  plan.durations_us = std::move(own.durations_us);
}

void plan_step(const ReplayOptions& options, const AnyTrace& given, int ranks, ReplayPlan& plan) {
  if (options.step) {
    auto settings = options.step->settings;
    settings.ranks = ranks;
    plan.trace = generate(options.step->model, settings);
  } else {
    plan.trace = std::get<StepTrace>(given);
    require_ranks(options.file, plan.trace.ranks, ranks);
  }
  plan.durations_us = durations_us(plan.trace, options.compute.model_for(plan.trace));
  options.compute.scale_sizes(plan.trace);
  plan.fingerprint = fingerprint(plan.trace);
}

}  // namespace

ReplayPlan make_plan(const ReplayOptions& options, const AnyTrace& given, int rank, int ranks) {
  ReplayPlan plan;
  if (auto with_roles = role_trace_of(options, given, ranks)) {
    plan_roles(options.compute, *std::move(with_roles), rank, plan);
  } else {
    plan_step(options, given, ranks, plan);
  }
  options.compute.check_ranks(ranks);
  plan.device = options.compute.device_of(plan.trace);
  plan.slow_down = options.compute.slow_down;
  plan.check = options.check;
  plan.compute_scale = options.compute.model.scale;
  plan.size_scale = options.compute.size_scale;
  plan.algorithm = options.algorithm;
  plan.timeline = options.timeline;
  return plan;
}

}  // namespace ringmark::replay
