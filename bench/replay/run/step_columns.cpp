#include "bench/replay/run/step_columns.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/replay/step/step_table.hpp"

namespace ringmark::replay {

void tell_step(const StepTrace& trace, int ranks, const StepTimes& times, const StepTotals& totals, Record& record) {
  const auto us = [](double value) { return fmt::format("{:.3f}", value); };
  auto& extra = record.extra;
  extra["computation_us"] = us(totals.computation_us);
  extra["communication_us"] = us(totals.communication_us);
  extra["exposed_us"] = us(totals.exposed_us);
  extra["hidden_us"] = us(totals.hidden_us);
  const auto exposed = [&](Phase phase) { return times.phases[static_cast<std::size_t>(phase)].exposed_us; };
  extra["exposed_fwd_us"] = us(exposed(Phase::forward));
  extra["exposed_bwd_us"] = us(exposed(Phase::backward) + exposed(Phase::recompute));
  extra["exposed_step_us"] = us(exposed(Phase::step));
  constexpr std::size_t most_told = 64;
  if (times.micro_steps.size() <= most_told) {
    const auto each = [&](double PhaseTimes::*part) {
      std::vector<std::string> words;
      for (const auto& micro_step : times.micro_steps) words.push_back(us(micro_step.*part));
      return fmt::format("{}", fmt::join(words, " "));
    };
    extra["micro_computation_us"] = each(&PhaseTimes::computation_us);
    extra["micro_exposed_us"] = each(&PhaseTimes::exposed_us);
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
