#include "replay/step/timeline.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ringmark::replay {
namespace {

/// When the collectives of a wait have ended; after that it waits for messages. Empty if it waits for no messages.
std::optional<double> end_before_messages(const StepTrace& trace, const Timeline& timeline, const Event& wait) {
  std::optional<double> end_us;
  double collectives_us = 0;
  for (const int before : wait.after) {
    const auto at = static_cast<std::size_t>(before);
    if (is_message(trace.events[at])) {
      end_us = collectives_us;
    } else {
      collectives_us = std::max(collectives_us, timeline.end_us[at]);
    }
  }
  return end_us ? std::optional(collectives_us) : std::nullopt;
}

/// The times at which at least one collective was in flight.
class Communication {
 public:
  Communication(const StepTrace& trace, const Timeline& timeline) {
    std::vector<std::pair<double, double>> all;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      if (trace.events[i].kind == EventKind::collective) all.emplace_back(timeline.begin_us[i], timeline.end_us[i]);
    }
    std::sort(all.begin(), all.end());
    for (const auto& [begin, end] : all) {
      if (!spans_.empty() && begin <= spans_.back().second) {
        spans_.back().second = std::max(spans_.back().second, end);
      } else {
        spans_.emplace_back(begin, end);
      }
    }
  }

  double within(double from, double to) const {
    double sum = 0;
    const auto ends_later = [](double at, const auto& span) { return at < span.second; };
    for (auto span = std::upper_bound(spans_.begin(), spans_.end(), from, ends_later);
         span != spans_.end() && span->first < to; ++span)
      sum += std::min(span->second, to) - std::max(span->first, from);
    return sum;
  }

 private:
  std::vector<std::pair<double, double>> spans_;  ///< ascending and disjoint
};

}  // namespace

PartTimes StepTimes::whole() const {
  PartTimes sum;
  for (const auto& phase : phases) {
    sum.computation_us += phase.computation_us;
    sum.exposed_us += phase.exposed_us;
    sum.hidden_us += phase.hidden_us;
    sum.bubble_us += phase.bubble_us;
  }
  return sum;
}

StepTimes times_of(const StepTrace& trace, const Timeline& timeline) {
  StepTimes times;
  times.total_us = timeline.total_us;
  times.micro_steps.resize(static_cast<std::size_t>(trace.micro_steps));
  const Communication communication(trace, timeline);
  double until_us = 0;
  const Event* last = trace.events.empty() ? nullptr : &trace.events.back();
  const auto parts_of = [&](const Event& event) {
    return std::array{&times.phases[static_cast<std::size_t>(event.phase)],
                      &times.micro_steps[static_cast<std::size_t>(event.micro_step)]};
  };
  // A wait for anything but communication is a wait for other work of the device, such as a copy.
  const auto spend = [&](double to_us, const Event& event, bool is_computation) {
    if (to_us <= until_us) return;
    const double communication_us = communication.within(until_us, to_us);
    const double exposed_us = is_computation ? 0 : communication_us;
    for (auto* part : parts_of(event)) {
      part->exposed_us += exposed_us;
      part->hidden_us += communication_us - exposed_us;
      part->computation_us += to_us - until_us - exposed_us;
    }
    until_us = to_us;
  };
  const auto await_messages = [&](double to_us, const Event& event) {
    for (auto* part : parts_of(event)) part->bubble_us += std::max(0.0, to_us - until_us);
    until_us = std::max(until_us, to_us);
  };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    const bool is_first_stream = event.stream == 0 && !(is_call(event) && event.is_async);
    if (!is_first_stream && event.kind != EventKind::host_sync) continue;
    if (is_message(event)) await_messages(timeline.end_us[i], event);
    if (const auto before_us = end_before_messages(trace, timeline, event)) {
      spend(std::min(*before_us, timeline.end_us[i]), event, false);
      await_messages(timeline.end_us[i], event);
    }
    spend(computes(event) ? timeline.begin_us[i] : timeline.end_us[i], event, false);
    if (computes(event)) spend(timeline.end_us[i], event, true);
    last = &event;
  }
  if (last != nullptr) spend(timeline.total_us, *last, false);
  return times;
}

}  // namespace ringmark::replay
