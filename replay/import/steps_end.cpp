#include "replay/import/steps_end.hpp"

#include <map>
#include <utility>
#include <vector>

#include "replay/trace/message_lines.hpp"

namespace ringmark::replay {
namespace {

class Progress {
 public:
  explicit Progress(const RoleTrace& trace) : trace_(trace) {
    for (int rank = 0; rank < trace.ranks; ++rank) {
      ranks_.emplace_back();
      for (const auto& play : trace.role_of(rank).plays) {
        for (const auto& event : trace.passes[static_cast<std::size_t>(play.pass)].events)
          ranks_.back().events.push_back(&event);
      }
    }
  }

  bool run() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (int rank = 0; rank < trace_.ranks; ++rank) {
        while (moves(rank)) has_moved = true;
      }
    }
    for (const auto& each : ranks_) {
      if (each.next < each.events.size()) return false;
    }
    return true;
  }

 private:
  struct Rank {
    std::vector<const Event*> events;
    std::size_t next = 0;
    bool has_arrived = false;                           ///< at the collective that is next
    std::map<int, int> called;                          ///< collectives by group
    std::map<std::size_t, int> awaits;                  ///< by receive: its number on its line
    std::map<std::pair<int, int>, int> received, sent;  ///< by group and peer's distance
  };

  bool moves(int rank) {
    auto& of = ranks_[static_cast<std::size_t>(rank)];
    if (of.next == of.events.size()) return false;
    const auto& event = *of.events[of.next];
    if (event.kind == EventKind::send) {
      ++of.sent[{event.group, event.peer}];
    } else if (event.kind == EventKind::receive) {
      of.awaits[of.next] = ++of.received[{event.group, event.peer}];
    } else if (event.kind == EventKind::collective) {
      if (!std::exchange(of.has_arrived, true)) ++of.called[event.group];
      if (!event.is_async && !have_all_called(event.group, rank, of.called[event.group])) return false;
      of.has_arrived = false;
    } else if (event.kind == EventKind::wait && !is_over(event, rank)) {
      return false;
    }
    ++of.next;
    return true;
  }

  bool have_all_called(int group, int rank, int calls) const {
    for (const int member : trace_.groups[static_cast<std::size_t>(group)].members(rank)) {
      const auto& called = ranks_[static_cast<std::size_t>(member)].called;
      const auto found = called.find(group);
      if (found == called.end() || found->second < calls) return false;
    }
    return true;
  }

  /// Messages that it waits for have been sent. Asynchronous collectives are awaited at the step's end, which all
  /// reach.
  bool is_over(const Event& wait, int rank) const {
    const auto& of = ranks_[static_cast<std::size_t>(rank)];
    for (const int before : wait.after) {
      const auto& event = *of.events[static_cast<std::size_t>(before)];
      if (event.kind != EventKind::receive || !takes_line(trace_, event)) continue;
      const auto& sent = ranks_[static_cast<std::size_t>(rank + event.peer)].sent;
      const auto found = sent.find({event.group, -event.peer});
      if (found == sent.end() || found->second < of.awaits.at(static_cast<std::size_t>(before))) return false;
    }
    return true;
  }

  const RoleTrace& trace_;
  std::vector<Rank> ranks_;
};

}  // namespace

bool comes_to_its_end(const RoleTrace& trace) { return Progress(trace).run(); }

}  // namespace ringmark::replay
