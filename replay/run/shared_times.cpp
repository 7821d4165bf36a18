#include "replay/run/shared_times.hpp"

#include <algorithm>

namespace ringmark::replay {

std::vector<double> flattened(const StepTimes& times) {
  std::vector<double> values{times.total_us};
  const auto add = [&](const PartTimes& part) {
    values.insert(values.end(), {part.computation_us, part.exposed_us, part.hidden_us, part.bubble_us});
  };
  for (const auto& phase : times.phases) add(phase);
  for (const auto& micro_step : times.micro_steps) add(micro_step);
  return values;
}

StepTimes unflattened(std::span<const double> values) {
  StepTimes times;
  times.total_us = values[0];
  constexpr std::size_t parts = 4;
  std::size_t at = 1;
  const auto take = [&](PartTimes& part) {
    part = {values[at], values[at + 1], values[at + 2], values[at + 3]};
    at += parts;
  };
  for (auto& phase : times.phases) take(phase);
  times.micro_steps.resize((values.size() - at) / parts);
  for (auto& micro_step : times.micro_steps) take(micro_step);
  return times;
}

std::vector<Timeline> timelines_of_all(Control& control, const Timeline& timeline, double to_common_us) {
  const auto mine = timeline.begin_us.size();
  const auto most = static_cast<std::size_t>(control.max(static_cast<double>(mine)));
  const auto padded = [&](std::vector<double> times) {
    times.resize(most, -1);
    return control.all_gather(times);
  };
  const auto events = control.all_gather(std::vector{static_cast<double>(mine)});
  const auto all_begin = padded(timeline.begin_us), all_end = padded(timeline.end_us);
  const auto origins = control.all_gather(std::span(&to_common_us, 1));
  const double first = *std::min_element(origins.begin(), origins.end());
  std::vector<Timeline> lines;
  for (std::size_t rank = 0; rank < origins.size(); ++rank) {
    const auto of_rank = [&](const std::vector<double>& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * most);
      std::vector<double> times(begin, begin + static_cast<std::ptrdiff_t>(events[rank]));
      for (auto& time : times) time += origins[rank] - first;
      return times;
    };
    lines.push_back({of_rank(all_begin), of_rank(all_end), 0});
  }
  return lines;
}

}  // namespace ringmark::replay
