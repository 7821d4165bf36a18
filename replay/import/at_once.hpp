// The calls of a recording that ran at the same time.
#pragma once

#include <map>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// Consecutive calls of several communicators that a step waited for together. Each after the first began before an
/// earlier one of another communicator had ended.
struct CallsAtOnce {
  std::size_t first = 0, end = 0;  ///< [first, end)
  /// By call of the set: for each communicator, the last call that had ended when this call began.
  std::vector<std::vector<std::size_t>> after;
};

/// The sets in call order. They contain no asynchronous calls, for which only the step's end waits, no messages, and no
/// calls without recorded times.
std::vector<CallsAtOnce> calls_at_once(const std::vector<Call>& calls);

/// Turns the calls of each set into asynchronous events, and makes the step wait for all of them where the set ends.
class SetsAtOnce {
 public:
  explicit SetsAtOnce(const std::vector<Call>& calls) : sets_(calls_at_once(calls)) {}

  /// Call these in call order: add() for each call that becomes an event, end() for every call.
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

/// Adds an event that waits for these on the first stream, if there are any.
void add_wait(StepTrace& trace, std::vector<int> on, Phase phase);

}  // namespace ringmark::replay
