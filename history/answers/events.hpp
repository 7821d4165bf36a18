// Changes of many series as events: what changed in the same night is reported once.
#pragma once

#include <string>
#include <vector>

#include "history/answers/causes.hpp"
#include "history/questions/changes.hpp"

namespace ringmark::history {

/// A change of one chain.
struct ChainChange {
  std::size_t chain;
  Change change;
  std::vector<Cause> causes;
};

/// A cause that some of an event's series have. For others it may not be recorded, as in files of other tools.
struct SharedCause {
  Cause cause;
  std::size_t series;
};

struct Event {
  std::chrono::sys_seconds last_before, first_after;  ///< the launches before and after the change
  std::vector<ChainChange> changes;                   ///< in one direction
  std::vector<SharedCause> causes;                    ///< those that most series have first

  bool is_slower() const { return changes.front().change.ratio > 1; }
};

/// "driver_version 550.54.15 → 560.35.03", and the number of the event's series that have it, if not all.
std::string in_words(const SharedCause& cause, const Event& event);

/// In time order. `selection` is that of the chains. `options.series` is set to the number of chains.
std::vector<Event> events_of(Store& store, const std::vector<Chain>& chains, const Selection& selection,
                             ChangeOptions options);

}  // namespace ringmark::history
