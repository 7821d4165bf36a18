#include "replay/predict/simulate_roles.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/predict/flights.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/shared_link.hpp"

namespace ringmark::replay {
namespace {

/// A group as networks know it, on as many ranks as give it its size.
struct Placed {
  Group group;
  int ranks = 1;
};

/// Groups of a kind run at the same time, so those that reach out of a node share its link. What counts is how many
/// members of a group a node has.
Placed placed(const RankGroup& group, int ranks_per_node) {
  const int size = group.size();
  int in_node = 1;
  for (const auto& [members, stride] : group.dimensions) {
    if (stride < ranks_per_node) in_node *= std::min(members, ranks_per_node / stride);
  }
  if (in_node == size) return {{group.name, Group::Kind::block, size}, size};
  const int distance = std::max(1, ranks_per_node / in_node);
  return {{group.name, Group::Kind::stride, distance}, size * distance};
}

/// A message whose ends may not both have come yet.
struct Message {
  std::optional<double> sent_us, received_us, end_us;
};

class RoleSimulator {
 public:
  RoleSimulator(const RoleTrace& trace, const RoleScene& scene, Network& network)
      : trace_(trace), scene_(scene), network_(network), states_(trace.roles.size()), times_(trace.roles.size()) {
    for (const auto& group : trace.groups) placed_.push_back(placed(group, scene.ranks_per_node));
    for (auto& state : states_) {
      state.free_us.resize(trace.groups.size());
      state.calls.resize(trace.groups.size());
    }
    for (std::size_t role = 0; role < states_.size(); ++role) {
      auto& of_groups = joins_.emplace_back();
      for (const auto& group : trace.groups) of_groups.push_back(roles_in(group, first_rank(role)));
    }
  }

  RoleSimulation run() {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t role = 0; role < states_.size(); ++role) {
        while (advance(role)) moves = true;
      }
    }
    RoleSimulation result;
    for (std::size_t role = 0; role < states_.size(); ++role) {
      if (!is_over(role)) throw_stuck();
      times_[role].total_us = states_[role].now_us;
      for (const double free_us : states_[role].free_us)
        times_[role].total_us = std::max(times_[role].total_us, free_us);
      result.total_us = std::max(result.total_us, times_[role].total_us);
    }
    result.roles = std::move(times_);
    return result;
  }

 private:
  using MessageKey = std::tuple<std::size_t, std::size_t, int>;  ///< sender, receiver, group
  struct State {
    std::size_t play = 0, event = 0;
    bool has_arrived = false;        ///< at the meeting that it waits for
    double now_us = 0;               ///< of the stream of computation
    std::vector<double> free_us;     ///< by group: its calls so far are over
    std::vector<int> calls;          ///< by group, of those in which other roles take part
    std::vector<double> ends_us;     ///< by event of the pass
    std::vector<Message*> messages;  ///< by event of the pass
    std::map<std::pair<int, int>, std::deque<Message*>> received;  ///< by group and peer, not yet waited for
    Flights flights;
  };
  struct Meeting {
    std::size_t arrived = 0;
    double last_us = 0;
    std::optional<double> end_us;
  };

  bool is_over(std::size_t role) const { return states_[role].play == trace_.roles[role].plays.size(); }
  int first_rank(std::size_t role) const { return static_cast<int>(role) * trace_.role_stride; }
  std::size_t role_of(int rank) const {
    return static_cast<std::size_t>(rank / trace_.role_stride) % trace_.roles.size();
  }
  std::vector<std::size_t> roles_in(const RankGroup& group, int rank) const {
    std::vector<std::size_t> roles;
    for (const int member : group.members(rank)) roles.push_back(role_of(member));
    std::sort(roles.begin(), roles.end());
    roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
    return roles;
  }

  [[noreturn]] void throw_stuck() const {
    std::string text = "deadlock: roles wait for each other:";
    for (std::size_t role = 0; role < states_.size(); ++role) {
      if (!is_over(role)) text += fmt::format(" {} in '{}'", trace_.roles[role].name, pass_of(role).name);
    }
    throw BadUsage(text);
  }

  const Pass& pass_of(std::size_t role) const {
    const auto& play = trace_.roles[role].plays[states_[role].play];
    return trace_.passes[static_cast<std::size_t>(play.pass)];
  }

  /// False if the role is over, or has to wait for another one.
  bool advance(std::size_t role) {
    auto& state = states_[role];
    if (is_over(role)) return false;
    const auto& events = pass_of(role).events;
    if (state.event == 0) {
      state.ends_us.assign(events.size(), 0);
      state.messages.assign(events.size(), nullptr);
    }
    if (!play(role, events[state.event])) return false;
    if (++state.event == events.size()) {
      state.event = 0;
      ++state.play;
    }
    return true;
  }

  bool play(std::size_t role, const Event& event) {
    switch (event.kind) {
      case EventKind::compute:
      case EventKind::copy:
        compute(role);
        return true;
      case EventKind::collective:
        return joins_[role][group_of(event)].size() > 1 ? meet(role, event) : call(role, event);
      case EventKind::send:
      case EventKind::receive:
        post(role, event);
        return true;
      case EventKind::wait:
      case EventKind::host_sync:
        return wait(role, event);
    }
    return true;
  }

  static std::size_t group_of(const Event& event) { return static_cast<std::size_t>(event.group); }

  void compute(std::size_t role) {
    auto& state = states_[role];
    const auto pass = static_cast<std::size_t>(trace_.roles[role].plays[state.play].pass);
    const double alone_us = scene_.durations_us[pass][state.event];
    const double lost_us =
        scene_.contention > 0 ? scene_.contention * state.flights.within(state.now_us, state.now_us + alone_us) : 0;
    times_[role].computation_us += alone_us + lost_us;
    state.now_us += alone_us + lost_us;
    state.ends_us[state.event] = state.now_us;
  }

  double time_us(const Event& event) {
    const auto& [group, ranks] = placed_[group_of(event)];
    return network_.time(event, group, ranks).total_us;
  }

  void expose(std::size_t role, double until_us, double RoleTimes::*part) {
    auto& state = states_[role];
    times_[role].*part += std::max(0.0, until_us - state.now_us);
    state.now_us = std::max(state.now_us, until_us);
  }

  /// The host runs ahead of the device with a call that waits for some events alone.
  static double issued_us(const State& state, const Event& event) {
    if (!event.is_async || event.after.empty()) return state.now_us;
    double issued_us = 0;
    for (const int before : event.after)
      issued_us = std::max(issued_us, state.ends_us[static_cast<std::size_t>(before)]);
    return issued_us;
  }

  /// Among ranks of this role, which arrive together.
  bool call(std::size_t role, const Event& event) {
    auto& state = states_[role];
    auto& free_us = state.free_us[group_of(event)];
    const double begin_us = std::max(issued_us(state, event), free_us);
    finish_call(role, event, begin_us, begin_us + time_us(event));
    return true;
  }

  /// With other roles: the last to arrive decides.
  bool meet(std::size_t role, const Event& event) {
    auto& state = states_[role];
    const auto group = group_of(event);
    auto& meeting = meetings_[{event.group, joins_[role][group].front(), state.calls[group]}];
    if (!state.has_arrived) {
      state.has_arrived = true;
      ++meeting.arrived;
      meeting.last_us = std::max({meeting.last_us, state.now_us, state.free_us[group]});
      if (meeting.arrived == joins_[role][group].size()) meeting.end_us = meeting.last_us + time_us(event);
    }
    if (!meeting.end_us) return false;
    state.has_arrived = false;
    ++state.calls[group];
    finish_call(role, event, meeting.last_us, *meeting.end_us);
    return true;
  }

  void finish_call(std::size_t role, const Event& event, double begin_us, double end_us) {
    auto& state = states_[role];
    state.free_us[group_of(event)] = end_us;
    state.ends_us[state.event] = end_us;
    if (event.is_async) {
      state.flights.add(begin_us, end_us);
    } else {
      expose(role, end_us, &RoleTimes::exposed_us);
    }
  }

  /// Both ends of a message are there before it travels, and messages from one role to another follow each other.
  void post(std::size_t role, const Event& event) {
    auto& state = states_[role];
    const auto other = role_of((first_rank(role) + event.peer) % trace_.ranks);
    const bool is_sent = event.kind == EventKind::send;
    auto& line = lines_[is_sent ? MessageKey{role, other, event.group} : MessageKey{other, role, event.group}];
    auto& count = is_sent ? line.sent : line.received;
    if (count == line.messages.size()) line.messages.emplace_back();
    auto& message = line.messages[count++];
    (is_sent ? message.sent_us : message.received_us) = state.now_us;
    if (message.sent_us && message.received_us) {
      const double begin_us = std::max({*message.sent_us, *message.received_us, line.free_us});
      const auto sender = is_sent ? role : other, receiver = is_sent ? other : role;
      message.end_us = line.free_us = send(sender, receiver, begin_us, role, event);
    }
    state.messages[state.event] = &message;
    if (!is_sent && !event.batch) state.received[{event.group, event.peer}].push_back(&message);
  }

  /// The end of a message, beside others that leave the sender or reach the receiver on the same links.
  double send(std::size_t sender, std::size_t receiver, double begin_us, std::size_t role, const Event& event) {
    const bool is_within = is_within_nodes(role, event.peer);
    const auto time = message_time(event, is_within);
    auto& out = links_[{sender, is_within, true}];
    auto& in = links_[{receiver, is_within, false}];
    const double end_us = std::max(out.end_of(begin_us, time.bytes_us), in.end_of(begin_us, time.bytes_us));
    for (auto* link : {&out, &in}) link->take(begin_us, end_us);
    return end_us + time.total_us - time.bytes_us;
  }

  /// Whether the messages of all ranks of the role stay in their nodes: they go out at the same time.
  bool is_within_nodes(std::size_t role, int peer) const {
    for (int rank = first_rank(role); rank < first_rank(role) + trace_.role_stride; ++rank) {
      if (rank / scene_.ranks_per_node != (rank + peer) / scene_.ranks_per_node) return false;
    }
    return true;
  }

  CollectiveTime message_time(const Event& event, bool is_within) {
    auto message = event;
    message.kind = EventKind::collective;
    message.collective = Collective::send_recv;
    if (is_within) return network_.time(message, {"pair", Group::Kind::block, 2}, 2);
    return network_.time(message, {"pair", Group::Kind::stride, scene_.ranks_per_node}, 2 * scene_.ranks_per_node);
  }

  /// False if a message that it waits for has not both ends yet.
  bool wait(std::size_t role, const Event& event) {
    auto& state = states_[role];
    double messages_us = 0, calls_us = 0;
    for (const int before : event.after) {
      const auto at = static_cast<std::size_t>(before);
      if (const auto* message = state.messages[at]) {
        if (!message->end_us) return false;
        messages_us = std::max(messages_us, *message->end_us);
      } else {
        calls_us = std::max(calls_us, state.ends_us[at]);
      }
    }
    if (event.oldest_message_of) {
      auto& waiting = state.received[{*event.oldest_message_of, event.peer}];
      if (!waiting.empty()) {
        if (!waiting.front()->end_us) return false;
        messages_us = std::max(messages_us, *waiting.front()->end_us);
        waiting.pop_front();
      }
    }
    if (event.drains) calls_us = std::max(calls_us, state.free_us[static_cast<std::size_t>(*event.drains)]);
    expose(role, calls_us, &RoleTimes::exposed_us);
    expose(role, messages_us, &RoleTimes::bubble_us);
    state.ends_us[state.event] = state.now_us;
    return true;
  }

  struct Line {
    std::deque<Message> messages;
    std::size_t sent = 0, received = 0;
    double free_us = 0;
  };

  const RoleTrace& trace_;
  const RoleScene& scene_;
  Network& network_;
  std::vector<Placed> placed_;                                ///< by group
  std::vector<std::vector<std::vector<std::size_t>>> joins_;  ///< by role and group: the roles that take part
  std::vector<State> states_;
  std::vector<RoleTimes> times_;
  std::map<std::tuple<int, std::size_t, int>, Meeting> meetings_;  ///< by group, its first role, and call
  std::map<MessageKey, Line> lines_;
  std::map<std::tuple<std::size_t, bool, bool>, SharedLink> links_;  ///< by role, within nodes or not, out or in
};

}  // namespace

RoleScene usual_scene(const RoleTrace& trace, const ComputeModel& model, int ranks_per_node) {
  return {durations_us(trace, model), ranks_per_node, model.device.knows_operators() ? usual_contention : 0};
}

RoleSimulation simulate(const RoleTrace& trace, const RoleScene& scene, Network& network) {
  return RoleSimulator(trace, scene, network).run();
}

}  // namespace ringmark::replay
