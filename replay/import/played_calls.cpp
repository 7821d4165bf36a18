#include "replay/import/played_calls.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "replay/import/at_once.hpp"

namespace ringmark::replay {
namespace {

void add_computation(StepTrace& trace, double us, Phase phase) {
  if (us <= 0) return;
  Event event;
  event.phase = phase;
  event.time_us = us;
  event.tag = "between calls";
  trace.events.push_back(std::move(event));
}

}  // namespace

Event event_of(const Call& call, int size) {
  const auto share = static_cast<std::uint64_t>(size);
  Event event;
  event.kind = EventKind::collective;
  event.phase = call.phase;
  event.collective = call.collective;
  event.elements = is_sharded(call.collective) ? (call.elements + share - 1) / share * share : call.elements;
  event.type = call.type;
  event.op = call.op;
  event.root = std::min(call.root, size - 1);
  event.pattern = call.pattern;
  event.is_async = call.is_async;
  return event;
}

int append_calls(StepTrace& trace, const Imported& imported, const EventOfCall& event_of, Awaited messages) {
  std::vector<int> unawaited, received;
  SetsAtOnce at_once(imported.calls);
  for (std::size_t number = 0; number < imported.calls.size(); ++number) {
    const auto& call = imported.calls[number];
    if (!call.peer || call.computed_us > 0) add_wait(trace, std::exchange(received, {}), call.phase);
    add_computation(trace, call.computed_us, call.phase);
    if (auto event = event_of(number)) {
      const bool is_awaited_soon = event->kind == EventKind::receive && messages == Awaited::soon;
      const auto index = static_cast<int>(trace.events.size());
      if (is_awaited_soon)
        received.push_back(index);
      else if (event->is_async)
        unawaited.push_back(index);
      at_once.add(trace, *std::move(event), number);
    }
    at_once.end(trace, number, call.phase);
  }
  const auto last = imported.calls.empty() ? Phase::step : imported.calls.back().phase;
  add_wait(trace, std::move(received), last);
  add_computation(trace, imported.computed_beside_us, last);
  add_wait(trace, std::move(unawaited), last);
  // An optimizer needs the reduced gradients.
  add_computation(trace, imported.computed_after_us, Phase::step);
  return at_once.calls();
}

std::string note_of_calls_at_once(int calls) {
  return fmt::format("{} calls ran at the same time as calls of other groups, and are played concurrently with them",
                     calls);
}

}  // namespace ringmark::replay
