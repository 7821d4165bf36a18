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

struct Event {
  std::chrono::sys_seconds last_before, first_after;  ///< launches that the change is between
  std::vector<ChainChange> changes;                   ///< in one direction
  std::vector<Cause> causes;                          ///< that all of them share

  bool is_slower() const { return changes.front().change.ratio > 1; }
};

/// In time order. `selection` is that of the chains. `options.series` is set to the number of chains.
std::vector<Event> events_of(Store& store, const std::vector<Chain>& chains, const Selection& selection,
                             ChangeOptions options);

}  // namespace ringmark::history
