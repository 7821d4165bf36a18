#include "replay/predict/predict_roles.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text_table.hpp"
#include "base/write_file.hpp"
#include "replay/generate/memory_fit.hpp"
#include "replay/predict/plausible.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "replay/step/interval.hpp"
#include "results/json_rows.hpp"

namespace ringmark::replay {
namespace {

constexpr double bytes_of_GiB = 1ULL << 30U;

void refuse_other_options(const PredictOptions& options, const RoleTrace& trace) {
  const auto refuse = [](bool is_given, const char* flag, const char* remedy) {
    if (is_given)
      throw BadUsage(Problem{.flag = flag, .text = "is not supported for steps with roles", .remedy = remedy});
  };
  refuse(options.measured_s.has_value(), "--measured-s", "leave it out");
  refuse(options.solve.has_value(), "--solve", "leave it out");
  refuse(options.jitter_percent > 0, "--jitter", "leave it out");
  refuse(!options.compute.slow_down.empty(), "--slow-down", "leave it out");
  refuse(!options.timeline.empty(), "--timeline", "leave it out");
  const auto& measured = options.compute.model;
  refuse(measured.forward_ms || measured.backward_ms || measured.step_ms, "--forward-ms, --backward-ms and --step-ms",
         "give --device");
  refuse(options.links.burst_bytes > 0, "--burst", "leave it out");
  refuse(options.compute.size_scale != 1, "--scale-sizes", "leave it out");
  refuse(options.ranks && *options.ranks != trace.ranks, "--ranks", "generate the step for that number of ranks");
}

/// All computations, as a step that the flags of computation know.
StepTrace computations_of(const RoleTrace& trace) {
  StepTrace step;
  step.type = trace.type;
  step.micro_batch = trace.micro_batch;
  step.sequence = trace.sequence;
  step.source = trace.source;
  for (const auto& pass : trace.passes) step.events.insert(step.events.end(), pass.events.begin(), pass.events.end());
  return step;
}

std::string role_table(const RoleTrace& trace, const RoleSimulation& simulation) {
  std::vector<std::vector<std::string>> lines{
      {"role", ">computation (ms)", ">exposed (ms)", ">bubble (ms)", ">step (ms)"}};
  const auto ms = [](double us) { return fmt::format("{:.3f}", us / 1e3); };
  for (std::size_t at = 0; at < trace.roles.size(); ++at) {
    const auto& times = simulation.roles[at];
    lines.push_back({trace.roles[at].name, ms(times.computation_us), ms(times.exposed_us), ms(times.bubble_us),
                     ms(times.total_us)});
  }
  return print_table(std::move(lines));
}

std::size_t fullest_role(const RoleTrace& trace) {
  const auto fullest = std::max_element(trace.roles.begin(), trace.roles.end(), [](const auto& a, const auto& b) {
    return total_bytes(a.memory) < total_bytes(b.memory);
  });
  return static_cast<std::size_t>(fullest - trace.roles.begin());
}

/// What does not fit comes before any time.
void print_memory(const RoleTrace& trace, const Device& device) {
  const auto& role = trace.roles[fullest_role(trace)];
  const double bytes = device.memory_GiB * bytes_of_GiB;
  if (bytes <= 0 || role.memory.empty()) return;
  fmt::print("memory on {}, {}: {}\n", device.name, role.name, describe(role.memory, bytes));
  if (!fits(role.memory, bytes))
    fmt::print("more tensor or pipeline parallelism, a smaller micro-batch or full recomputation need less\n");
}

JsonRow row_of(const RoleTrace& trace, const RoleSimulation& simulation, const std::optional<Interval>& interval_ms,
               const std::vector<std::string>& assumptions) {
  JsonRow roles = JsonRow::array();
  for (std::size_t at = 0; at < trace.roles.size(); ++at) {
    const auto& times = simulation.roles[at];
    roles.push_back({{"role", trace.roles[at].name},
                     {"computation_ms", times.computation_us / 1e3},
                     {"exposed_ms", times.exposed_us / 1e3},
                     {"bubble_ms", times.bubble_us / 1e3},
                     {"memory_bytes", total_bytes(trace.roles[at].memory)}});
  }
  return {{"schema", "prediction/1"},
          {"step", trace.id},
          {"model", trace.model},
          {"ranks", trace.ranks},
          {"time_ms", simulation.total_us / 1e3},
          {"time_ms_low", interval_ms ? JsonRow(interval_ms->low) : JsonRow()},
          {"time_ms_median", interval_ms ? JsonRow(median_of(*interval_ms)) : JsonRow()},
          {"time_ms_high", interval_ms ? JsonRow(interval_ms->high) : JsonRow()},
          {"memory_bytes", total_bytes(trace.roles[fullest_role(trace)].memory)},
          {"roles", roles},
          {"assumptions", assumptions}};
}

}  // namespace

int predict_roles(const PredictOptions& options, const RoleTrace& trace, const std::vector<std::string>& notes) {
  refuse_other_options(options, trace);
  auto links = options.links;
  links.ranks_per_node = options.ranks_per_node.value_or(usual_ranks_per_node);
  const auto step = computations_of(trace);
  auto compute = options.compute;
  if (!compute.software)
    compute.software = trace.source == "torchtitan" ? usual_software : Software::Kind::megatron_core;
  const auto model = compute.model_for(step);
  const bool is_modelled = !compute.device_of(step).empty() && model.device.knows_operators();
  const double usual = is_modelled ? 100 * usual_contention : 0;
  const RoleScene scene{durations_us(trace, model), links.ranks_per_node,
                        options.contention_percent.value_or(usual) / 100};
  const auto network = network_of(options, links);
  const auto simulation = simulate(trace, scene, *network);

  print_memory(trace, model.device);
  fmt::print("predicted {:.3f} ms a step on {} ranks\n{}", simulation.total_us / 1e3, trace.ranks,
             role_table(trace, simulation));
  std::optional<Interval> interval_ms;
  auto assumptions = network->assumptions();
  if (!options.fit) {
    for (const auto& doubt : doubts_of(links, model.device.name)) assumptions.push_back("WARNING: " + doubt);
  }
  if (is_modelled) {
    const auto family = family_of(trace, model);
    const auto factors = interval_of(family, model.device);
    interval_ms = Interval{simulation.total_us / 1e3 * factors.low, simulation.total_us / 1e3 * factors.high};
    fmt::print("interval: {:.3f} to {:.3f} ms, which hold {}\n", interval_ms->low, interval_ms->high,
               describe_interval(family, model.device));
    fmt::print("median: {:.3f} ms, which half of such steps exceed\n", median_of(*interval_ms));
  }
  for (const auto& line : compute.assumptions(step)) assumptions.push_back(line);
  assumptions.emplace_back("messages and collectives of different groups do not slow each other down");
  assumptions.insert(assumptions.end(), notes.begin(), notes.end());
  fmt::print("\nAssumptions:\n");
  for (const auto& line : assumptions) fmt::print("  {}\n", line);
  if (!options.json.empty()) write_file(options.json, json_rows({row_of(trace, simulation, interval_ms, assumptions)}));
  return exit_ok;
}

}  // namespace ringmark::replay
