#include "replay/run/step_columns.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "replay/step/step_table.hpp"

namespace ringmark::replay {

void describe_step(const StepTrace& trace, Record& record) {
  record.schema = replay_schema;
  record.collective = "training_step";
  record.datatype = trace.parameter("dtype");
  if (trace.model_elements > 0) {
    const auto type = parse_datatype(record.datatype);
    record.count = trace.model_elements;
    record.size_bytes = record.count * (type ? size_bytes(*type) : 1);
  } else {
    for (const auto& event : trace.events) {
      if (event.kind != EventKind::collective) continue;
      record.count += event.elements;
      record.size_bytes += event.elements * size_bytes(event.type);
    }
  }
  record.extra = {{"model", trace.model.empty() ? trace.id : trace.model},
                  {"framework", trace.source},
                  {"zero_stage", trace.parameter("zero_stage")},
                  {"micro_steps", std::to_string(trace.micro_steps)},
                  {"micro_batch", trace.micro_batch > 0 ? std::to_string(trace.micro_batch) : ""},
                  {"overlap", trace.parameter("overlap_is_usual") == "false" ? trace.parameter("overlap") : ""},
                  {"gradients", trace.parameter("gradients") == "reduce_scatter" ? "reduce_scatter" : ""}};
}

void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole, Record& record) {
  const auto us = [](double value) { return fmt::format("{:.3f}", value); };
  auto& extra = record.extra;
  extra["computation_us"] = us(whole.computation_us);
  extra["communication_us"] = us(whole.exposed_us + whole.hidden_us);
  extra["exposed_us"] = us(whole.exposed_us);
  extra["hidden_us"] = us(whole.hidden_us);
  const auto tell_phases = [&](const char* what, double PartTimes::*part) {
    const auto of = [&](Phase phase) { return times.phases[static_cast<std::size_t>(phase)].*part; };
    extra[fmt::format("{}_fwd_us", what)] = us(of(Phase::forward));
    extra[fmt::format("{}_bwd_us", what)] = us(of(Phase::backward) + of(Phase::recompute));
    extra[fmt::format("{}_step_us", what)] = us(of(Phase::step));
  };
  tell_phases("exposed", &PartTimes::exposed_us);
  tell_phases("hidden", &PartTimes::hidden_us);
  constexpr std::size_t most_told = 64;
  if (times.micro_steps.size() <= most_told) {
    const auto each = [&](double PartTimes::*part) {
      std::vector<std::string> words;
      for (const auto& micro_step : times.micro_steps) words.push_back(us(micro_step.*part));
      return fmt::format("{}", fmt::join(words, " "));
    };
    extra["micro_computation_us"] = each(&PartTimes::computation_us);
    extra["micro_exposed_us"] = each(&PartTimes::exposed_us);
    extra["micro_hidden_us"] = each(&PartTimes::hidden_us);
  }
  if (const auto rate = samples_per_second(trace, ranks, record.time_us_p50.value())) {
    extra["samples_per_s"] = fmt::format("{:.6g}", *rate);
    extra["tokens_per_s"] = fmt::format("{:.6g}", *rate * static_cast<double>(trace.sequence));
  }
  extra["step_wire_bytes"] = fmt::format("{:.0f}", step_wire_bytes(trace, ranks));
  extra["collectives"] = std::to_string(std::count_if(trace.events.begin(), trace.events.end(),
                                                      [](const auto& e) { return e.kind == EventKind::collective; }));
}

}  // namespace ringmark::replay
