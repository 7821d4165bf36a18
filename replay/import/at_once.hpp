// The calls of a recording that ran at the same time.
#pragma once

#include <map>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// Calls of several communicators that a step waited for together: neighbours in the recording, each of which began
/// before an earlier one of another communicator had ended.
struct CallsAtOnce {
  std::size_t first = 0, end = 0;  ///< [first, end)
  /// By call of the set: the last call of each communicator that had ended when it began.
  std::vector<std::vector<std::size_t>> after;
};

/// In the order of the calls. Asynchronous calls are in none, since nothing but the step's end waits for them; nor are
/// messages, or calls without recorded times.
std::vector<CallsAtOnce> calls_at_once(const std::vector<Call>& calls);

/// Makes the calls of sets asynchronous events, for all of which the step waits where the set ends.
class SetsAtOnce {
 public:
  explicit SetsAtOnce(const std::vector<Call>& calls) : sets_(calls_at_once(calls)) {}

  /// Call both for the calls in their order: the first one for a call that becomes an event, the second one for each.
  void add(StepTrace& trace, Event event, std::size_t call);
  void end(StepTrace& trace, std::size_t call, Phase phase);
  int calls() const { return calls_; }

 private:
  const CallsAtOnce* set_of(std::size_t call);

  std::vector<CallsAtOnce> sets_;
  std::size_t next_ = 0;               ///< the first set that does not end before the call
  std::map<std::size_t, int> events_;  ///< of the open set, by call
  int calls_ = 0;
};

/// Adds an event that waits for these on the first stream; none if there are none.
void add_wait(StepTrace& trace, std::vector<int> on, Phase phase);

}  // namespace ringmark::replay
