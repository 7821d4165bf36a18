// The events that a rank plays for its recorded calls, in their order.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// The call as an event of a group of `size` ranks, without its group, channel and counts.
Event event_of(const Call& call, int size);

/// When the step waits for a message that it receives.
enum class Awaited {
  soon,        ///< before the rank computes or calls a collective
  at_the_end,  ///< of the step, as for asynchronous collectives
};

/// By number of the call; nothing for a call that is left out.
using EventOfCall = std::function<std::optional<Event>(std::size_t)>;

/// Appends the computation, the calls, and the waits for them. Returns the number of calls that are played concurrently
/// with calls of other groups, as they were recorded.
int append_calls(StepTrace& trace, const Imported& imported, const EventOfCall& event_of, Awaited messages);

std::string note_of_calls_at_once(int calls);

}  // namespace ringmark::replay
