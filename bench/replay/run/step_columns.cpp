#include "bench/replay/run/step_columns.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/replay/step/step_table.hpp"

namespace ringmark::replay {

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
