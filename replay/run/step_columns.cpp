#include "replay/run/step_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "replay/step/step_table.hpp"

namespace ringmark::replay {
namespace {

double in_phase(const StepTimes& times, Phase phase, double PartTimes::*part) {
  return times.phases[static_cast<std::size_t>(phase)].*part;
}

/// Recomputation counts as backward.
double in_backward(const StepTimes& times, double PartTimes::*part) {
  return in_phase(times, Phase::backward, part) + in_phase(times, Phase::recompute, part);
}

/// "tp2 pp2 dp2"; empty for steps without roles.
std::string parallelism_of(const StepTrace& trace) {
  const auto value_of = [&](const std::string& name) {
    const auto found = trace.parameters.find(name);
    return found == trace.parameters.end() ? "1" : found->second;
  };
  std::string text;
  if (!trace.parameters.contains("pp")) return text;
  std::vector<std::string> kinds{"tp", "pp", "vp", "cp", "dp"};
  if (value_of("experts") != "0") kinds.insert(kinds.end(), {"ep", "etp"});
  for (const auto& kind : kinds) {
    if (value_of(kind) != "1") text += fmt::format("{}{}{}", text.empty() ? "" : " ", kind, value_of(kind));
  }
  return text;
}

std::vector<double> of_micro_steps(const StepTimes& times, double PartTimes::*part) {
  constexpr std::size_t most_told = 64;
  std::vector<double> values;
  if (times.micro_steps.size() > most_told) return values;
  for (const auto& micro_step : times.micro_steps) values.push_back(micro_step.*part);
  return values;
}

}  // namespace

void describe_step(const StepTrace& trace, Record& record) {
  record.schema = Schema::replay;
  record.collective = TrainingStep{};
  record.datatype = trace.type;
  if (trace.model_elements > 0) {
    record.count = trace.model_elements;
    record.size_bytes = record.count * (trace.type ? size_bytes(*trace.type) : 1);
  } else {
    for (const auto& event : trace.events) {
      if (event.kind != EventKind::collective) continue;
      record.count += event.elements;
      record.size_bytes += event.elements * size_bytes(event.type);
    }
  }
  auto& step = record.step.emplace();
  step.model = trace.model.empty() ? trace.id : trace.model;
  step.framework = trace.source;
  step.zero_stage = trace.zero_stage;
  step.micro_steps = trace.micro_steps;
  if (trace.micro_batch > 0) step.micro_batch = trace.micro_batch;
  if (trace.overlap && !trace.overlap_is_usual) step.overlap = name(*trace.overlap);
  step.parallelism = parallelism_of(trace);
  if (trace.gradients == Gradients::reduce_scatter) step.gradients = name(*trace.gradients);
}

void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole, Record& record) {
  auto& step = record.step.value();
  step.computation_us = whole.computation_us;
  if (std::any_of(trace.events.begin(), trace.events.end(), is_message)) step.bubble_us = whole.bubble_us;
  step.communication_us = whole.exposed_us + whole.hidden_us;
  step.exposed_us = whole.exposed_us;
  step.hidden_us = whole.hidden_us;
  step.exposed_fwd_us = in_phase(times, Phase::forward, &PartTimes::exposed_us);
  step.exposed_bwd_us = in_backward(times, &PartTimes::exposed_us);
  step.exposed_step_us = in_phase(times, Phase::step, &PartTimes::exposed_us);
  step.hidden_fwd_us = in_phase(times, Phase::forward, &PartTimes::hidden_us);
  step.hidden_bwd_us = in_backward(times, &PartTimes::hidden_us);
  step.hidden_step_us = in_phase(times, Phase::step, &PartTimes::hidden_us);
  step.micro_computation_us = of_micro_steps(times, &PartTimes::computation_us);
  step.micro_exposed_us = of_micro_steps(times, &PartTimes::exposed_us);
  step.micro_hidden_us = of_micro_steps(times, &PartTimes::hidden_us);
  if (const auto rate = samples_per_second(trace, ranks, record.time_us_p50.value())) {
    step.samples_per_s = *rate;
    step.tokens_per_s = *rate * static_cast<double>(trace.sequence);
  }
  step.step_wire_bytes = step_wire_bytes(trace, ranks);
  step.collectives = static_cast<std::uint64_t>(std::count_if(
      trace.events.begin(), trace.events.end(), [](const auto& each) { return each.kind == EventKind::collective; }));
}

}  // namespace ringmark::replay
