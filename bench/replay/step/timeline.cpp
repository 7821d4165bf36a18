#include "bench/replay/step/timeline.hpp"

#include <algorithm>

namespace ringmark::replay {

double StepTimes::computation_us() const {
  double sum = 0;
  for (const auto& phase : phases) sum += phase.computation_us;
  return sum;
}

double StepTimes::exposed_us() const {
  double sum = 0;
  for (const auto& phase : phases) sum += phase.exposed_us;
  return sum;
}

double StepTimes::hidden_us() const { return std::max(0.0, communication_us - exposed_us()); }

StepTimes times_of(const StepTrace& trace, const Timeline& timeline) {
  StepTimes times;
  times.total_us = timeline.total_us;
  times.micro_steps.resize(static_cast<std::size_t>(trace.micro_steps));
  double computed_until_us = 0;
  std::vector<std::pair<double, double>> communicating;
  Phase last_phase = Phase::forward;
  int last_micro_step = 0;
  const auto expose = [&](double us, Phase phase, int micro_step) {
    times.phases[static_cast<std::size_t>(phase)].exposed_us += us;
    times.micro_steps[static_cast<std::size_t>(micro_step)].exposed_us += us;
  };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.kind == EventKind::collective) communicating.emplace_back(timeline.begin_us[i], timeline.end_us[i]);
    if (event.stream != 0 || event.kind == EventKind::host_sync) continue;
    if (event.kind == EventKind::collective && event.is_async) continue;
    const double until_us = timeline.end_us[i];
    if (event.kind == EventKind::compute || event.kind == EventKind::copy) {
      const double begin_us = std::max(timeline.begin_us[i], computed_until_us);
      expose(begin_us - computed_until_us, event.phase, event.micro_step);
      const double computed_us = std::max(0.0, until_us - begin_us);
      times.phases[static_cast<std::size_t>(event.phase)].computation_us += computed_us;
      times.micro_steps[static_cast<std::size_t>(event.micro_step)].computation_us += computed_us;
      computed_until_us = begin_us + computed_us;
    } else if (until_us > computed_until_us) {
      expose(until_us - computed_until_us, event.phase, event.micro_step);
      computed_until_us = until_us;
    }
    last_phase = event.phase;
    last_micro_step = event.micro_step;
  }
  if (timeline.total_us > computed_until_us) expose(timeline.total_us - computed_until_us, last_phase, last_micro_step);
  std::sort(communicating.begin(), communicating.end());
  double until_us = 0;
  for (const auto& [begin, end] : communicating) {
    times.communication_us += std::max(0.0, end - std::max(begin, until_us));
    until_us = std::max(until_us, end);
  }
  return times;
}

}  // namespace ringmark::replay
