#include "replay/run/shared_times.hpp"

#include <algorithm>

namespace ringmark::replay {

std::vector<double> flattened(const StepTimes& times) {
  std::vector<double> values{times.total_us};
  const auto add = [&](const PartTimes& part) {
    values.insert(values.end(), {part.computation_us, part.exposed_us, part.hidden_us});
  };
  for (const auto& phase : times.phases) add(phase);
  for (const auto& micro_step : times.micro_steps) add(micro_step);
  return values;
}

StepTimes unflattened(std::span<const double> values) {
  StepTimes times;
  times.total_us = values[0];
  constexpr std::size_t parts = 3;
  std::size_t at = 1;
  const auto take = [&](PartTimes& part) {
    part = {values[at], values[at + 1], values[at + 2]};
    at += parts;
  };
  for (auto& phase : times.phases) take(phase);
  times.micro_steps.resize((values.size() - at) / parts);
  for (auto& micro_step : times.micro_steps) take(micro_step);
  return times;
}

std::vector<std::pair<int, Timeline>> timelines_of_all(Control& control, const Timeline& timeline,
                                                       double to_common_us) {
  const auto all_begin = control.all_gather(timeline.begin_us), all_end = control.all_gather(timeline.end_us);
  const auto origins = control.all_gather(std::span(&to_common_us, 1));
  const double first = *std::min_element(origins.begin(), origins.end());
  const auto events = timeline.begin_us.size();
  std::vector<std::pair<int, Timeline>> lines;
  for (int rank = 0; rank < control.size(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    Timeline line{{all_begin.begin() + static_cast<std::ptrdiff_t>(r * events),
                   all_begin.begin() + static_cast<std::ptrdiff_t>((r + 1) * events)},
                  {all_end.begin() + static_cast<std::ptrdiff_t>(r * events),
                   all_end.begin() + static_cast<std::ptrdiff_t>((r + 1) * events)},
                  0};
    for (auto* times : {&line.begin_us, &line.end_us}) {
      for (auto& time : *times) time += origins[r] - first;
    }
    lines.emplace_back(rank, std::move(line));
  }
  return lines;
}

}  // namespace ringmark::replay
