#include "replay/import/at_once.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ringmark::replay {
namespace {

/// The last two calls of a communicator. Only the last one may still be running.
struct LastTwo {
  std::optional<std::size_t> last, before;
};

}  // namespace

std::vector<CallsAtOnce> calls_at_once(const std::vector<Call>& calls) {
  const auto can_join = [&](std::size_t i) { return !calls[i].is_async && !calls[i].peer && calls[i].ran.has_value(); };
  std::vector<CallsAtOnce> all;
  for (std::size_t first = 0; first < calls.size();) {
    CallsAtOnce set{first, first + 1, {{}}};
    std::map<int, LastTwo> communicators{{calls[first].communicator, {first, {}}}};
    for (std::size_t i = first + 1; i < calls.size() && can_join(first) && can_join(i); ++i) {
      std::vector<std::size_t> ended;
      bool is_beside_another = false;
      for (const auto& [communicator, of] : communicators) {
        const bool has_ended = calls[*of.last].ran->end_us <= calls[i].ran->begin_us;
        is_beside_another = is_beside_another || (!has_ended && communicator != calls[i].communicator);
        if (const auto known = has_ended ? of.last : of.before) ended.push_back(*known);
      }
      if (!is_beside_another) break;
      std::sort(ended.begin(), ended.end());
      set.after.push_back(std::move(ended));
      set.end = i + 1;
      auto& mine = communicators[calls[i].communicator];
      mine = {i, mine.last};
    }
    first = set.end;
    if (set.after.size() > 1) all.push_back(std::move(set));
  }
  return all;
}

const CallsAtOnce* SetsAtOnce::set_of(std::size_t call) {
  while (next_ < sets_.size() && sets_[next_].end <= call) ++next_;
  return next_ < sets_.size() && sets_[next_].first <= call ? &sets_[next_] : nullptr;
}

void SetsAtOnce::add(StepTrace& trace, Event event, std::size_t call) {
  if (const auto* set = set_of(call)) {
    event.is_async = true;
    for (const auto before : set->after[call - set->first]) {
      // A call that the trace cannot represent has no event.
      if (const auto found = events_.find(before); found != events_.end()) event.after.push_back(found->second);
    }
    events_[call] = static_cast<int>(trace.events.size());
    ++calls_;
  }
  trace.events.push_back(std::move(event));
}

void SetsAtOnce::end(StepTrace& trace, std::size_t call, Phase phase) {
  const auto* set = set_of(call);
  if (set == nullptr || call + 1 < set->end) return;
  std::vector<int> all;
  for (const auto& [of_call, event] : std::exchange(events_, {})) all.push_back(event);
  add_wait(trace, std::move(all), phase);
}

void add_wait(StepTrace& trace, std::vector<int> on, Phase phase) {
  if (on.empty()) return;
  Event wait;
  wait.kind = EventKind::wait;
  wait.phase = phase;
  wait.after = std::move(on);
  trace.events.push_back(std::move(wait));
}

}  // namespace ringmark::replay
