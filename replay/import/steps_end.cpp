#include "replay/import/steps_end.hpp"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "replay/trace/message_lines.hpp"

namespace ringmark::replay {
namespace {

class Progress {
 public:
  explicit Progress(const RoleTrace& trace) : trace_(trace) {
    for (const auto& role : trace.roles) {
      events_.emplace_back();
      for (const auto& play : role.plays) {
        for (const auto& event : trace.passes[static_cast<std::size_t>(play.pass)].events)
          events_.back().push_back(&event);
      }
    }
    for (int rank = 0; rank < trace.ranks; ++rank)
      ranks_.emplace_back().events = &events_[static_cast<std::size_t>(&trace.role_of(rank) - trace.roles.data())];
  }

  bool run() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (int rank = 0; rank < trace_.ranks; ++rank) {
        while (moves(rank)) has_moved = true;
      }
    }
    for (const auto& each : ranks_) {
      if (each.next < each.events->size()) return false;
    }
    return true;
  }

 private:
  struct Rank {
    const std::vector<const Event*>* events = nullptr;
    std::size_t next = 0;
    bool has_arrived = false;                           ///< at the collective that is next
    int call = 0;                                       ///< the number of the last collective in its group
    std::map<int, int> called;                          ///< collectives by group
    std::map<std::size_t, int> awaits;                  ///< by receive: its number on its line
    std::map<std::pair<int, int>, int> received, sent;  ///< by group and peer's distance
  };

  bool moves(int rank) {
    auto& of = ranks_[static_cast<std::size_t>(rank)];
    if (of.next == of.events->size()) return false;
    const auto& event = *(*of.events)[of.next];
    if (event.kind == EventKind::send) {
      ++of.sent[{event.group, event.peer}];
    } else if (event.kind == EventKind::receive) {
      of.awaits[of.next] = ++of.received[{event.group, event.peer}];
    } else if (event.kind == EventKind::collective) {
      const auto& group = trace_.groups[static_cast<std::size_t>(event.group)];
      if (!std::exchange(of.has_arrived, true)) {
        of.call = ++of.called[event.group];
        ++arrived_[{event.group, group.first_member(rank), of.call}];
      }
      if (!event.is_async && arrived_[{event.group, group.first_member(rank), of.call}] < group.size()) return false;
      of.has_arrived = false;
    } else if (event.kind == EventKind::wait && !is_over(event, rank)) {
      return false;
    }
    ++of.next;
    return true;
  }

  /// True if all messages that the event waits for have been sent. Asynchronous collectives are awaited at the step's
  /// end, which all ranks reach.
  bool is_over(const Event& wait, int rank) const {
    const auto& of = ranks_[static_cast<std::size_t>(rank)];
    for (const int before : wait.after) {
      const auto& event = *(*of.events)[static_cast<std::size_t>(before)];
      if (event.kind != EventKind::receive || !takes_line(trace_, event)) continue;
      const int sender = rank + event.peer;
      const auto& sent = ranks_[static_cast<std::size_t>(sender)].sent;
      const auto found = sent.find({event.group, -event.peer});
      if (found == sent.end() || found->second < of.awaits.at(static_cast<std::size_t>(before))) return false;
    }
    return true;
  }

  const RoleTrace& trace_;
  std::vector<std::vector<const Event*>> events_;  ///< by role
  std::vector<Rank> ranks_;
  std::map<std::tuple<int, int, int>, int> arrived_;  ///< ranks by group, first member and number of the call
};

}  // namespace

bool comes_to_its_end(const RoleTrace& trace) { return Progress(trace).run(); }

}  // namespace ringmark::replay
