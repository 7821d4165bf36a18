#include "replay/predict/simulate_roles.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/predict/flights.hpp"
#include "replay/predict/role_kinds.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/shared_link.hpp"
#include "replay/predict/simulate.hpp"

namespace ringmark::replay {
namespace {

/// A group as Network takes it, with a number of ranks at which it has its size.
struct Placed {
  Group group;
  int ranks = 1;
};

/// Groups of a kind run at the same time, so those that span nodes share each node's link. Only the number of a group's
/// members in a node matters.
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

/// A message that may not have been posted at both ends yet.
struct Message {
  std::optional<double> sent_us, received_us, end_us;
};

class RoleSimulator {
 public:
  RoleSimulator(const RoleTrace& trace, const RoleScene& scene, Network& network)
      : trace_(trace),
        scene_(scene),
        network_(network),
        kinds_(trace, scene.slow_down, scene.jitter > 0),
        random_(scene.seed),
        states_(kinds_.size()),
        times_(kinds_.size()) {
    for (const auto& group : trace.groups) placed_.push_back(placed(group, scene.ranks_per_node));
    std::size_t events = 0;
    for (const auto& role : trace.roles) {
      std::size_t of_role = 0;
      for (const auto& play : role.plays) of_role += trace.passes[static_cast<std::size_t>(play.pass)].events.size();
      events = std::max(events, of_role);
    }
    if (kinds_.size() > trace.roles.size()) require_events(kinds_.size(), events);
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      auto& state = states_[kind];
      state.free_us.resize(trace.groups.size());
      state.calls.resize(trace.groups.size());
      times_[kind].rank = kinds_.rank(kind);
      auto& of_groups = joins_.emplace_back();
      for (const auto& group : trace.groups) of_groups.push_back(kinds_.kinds_in(group, kind));
    }
  }

  RoleSimulation run() {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t kind = 0; kind < states_.size(); ++kind) {
        while (advance(kind)) moves = true;
      }
    }
    RoleSimulation result;
    for (std::size_t kind = 0; kind < states_.size(); ++kind) {
      if (!is_over(kind)) throw_stuck();
      auto& times = times_[kind];
      times.total_us = states_[kind].now_us;
      for (const double free_us : states_[kind].free_us) times.total_us = std::max(times.total_us, free_us);
      result.total_us = std::max(result.total_us, times.total_us);
      finish_timeline(kind);
    }
    take_slowest(result);
    return result;
  }

 private:
  using MessageKey = std::tuple<std::size_t, std::size_t, int>;  ///< sender, receiver, group
  struct State {
    std::size_t play = 0, event = 0;
    bool has_arrived = false;        ///< at the meeting that it waits for
    double arrived_us = 0;           ///< at that meeting
    double now_us = 0;               ///< of the computation stream
    std::vector<double> free_us;     ///< by group: the end of its calls so far
    std::vector<int> calls;          ///< by group: the number of calls in which other kinds take part
    std::vector<double> ends_us;     ///< by event of the pass
    std::vector<Message*> messages;  ///< by event of the pass
    std::map<std::pair<int, int>, std::deque<Message*>> received;  ///< by group and peer, not yet waited for
    Flights flights;
    std::vector<std::pair<std::size_t, const Message*>> posted;  ///< by place in the timeline
  };
  struct Meeting {
    std::size_t arrived = 0, left = 0;
    double last_us = 0;
    std::optional<double> end_us;
  };

  const Role& role_of(std::size_t kind) const { return trace_.roles[kinds_.role(kind)]; }
  bool is_over(std::size_t kind) const { return states_[kind].play == role_of(kind).plays.size(); }

  [[noreturn]] void throw_stuck() const {
    std::string text = "deadlock: roles wait for each other:";
    for (std::size_t kind = 0; kind < states_.size(); ++kind) {
      if (!is_over(kind)) text += fmt::format(" {} in '{}'", role_of(kind).name, pass_of(kind).name);
    }
    throw BadUsage(text);
  }

  std::size_t pass_at(std::size_t kind) const {
    return static_cast<std::size_t>(role_of(kind).plays[states_[kind].play].pass);
  }
  const Pass& pass_of(std::size_t kind) const { return trace_.passes[pass_at(kind)]; }

  /// False if the kind has finished, or has to wait for another one.
  bool advance(std::size_t kind) {
    auto& state = states_[kind];
    if (is_over(kind)) return false;
    const auto& events = pass_of(kind).events;
    if (state.event == 0) {
      state.ends_us.assign(events.size(), 0);
      state.messages.assign(events.size(), nullptr);
    }
    if (!events.empty()) {
      const auto begin_us = state.now_us;
      if (!play(kind, events[state.event])) return false;
      keep_times(kind, events[state.event], begin_us);
    }
    if (events.empty() || ++state.event == events.size()) {
      state.event = 0;
      ++state.play;
    }
    return true;
  }

  bool play(std::size_t kind, const Event& event) {
    switch (event.kind) {
      case EventKind::compute:
      case EventKind::copy:
        compute(kind);
        return true;
      case EventKind::collective:
        return meet(kind, event);
      case EventKind::send:
      case EventKind::receive:
        post(kind, event);
        return true;
      case EventKind::wait:
      case EventKind::host_sync:
        return wait(kind, event);
    }
    return true;
  }

  /// A call begins when this rank arrives: waiting for others is part of it. The end of a message may not be known yet.
  void keep_times(std::size_t kind, const Event& event, double begin_us) {
    if (!scene_.keeps_timelines) return;
    auto& state = states_[kind];
    auto& timeline = times_[kind].timeline;
    if (is_message(event)) state.posted.emplace_back(timeline.begin_us.size(), state.messages[state.event]);
    timeline.begin_us.push_back(event.kind == EventKind::collective ? state.arrived_us : begin_us);
    timeline.end_us.push_back(state.ends_us[state.event]);
  }

  void finish_timeline(std::size_t kind) {
    auto& times = times_[kind];
    times.timeline.total_us = times.total_us;
    for (const auto& [at, message] : states_[kind].posted)
      times.timeline.end_us[at] = message->end_us.value_or(times.timeline.begin_us[at]);
  }

  /// Takes from each role the kind that computes longest.
  void take_slowest(RoleSimulation& result) {
    std::vector<std::size_t> slowest(trace_.roles.size(), kinds_.size());
    std::vector<double> least_us(trace_.roles.size());
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      const auto role = kinds_.role(kind);
      const double us = times_[kind].computation_us;
      const bool is_first = slowest[role] == kinds_.size();
      least_us[role] = is_first ? us : std::min(least_us[role], us);
      if (is_first || us > times_[slowest[role]].computation_us) slowest[role] = kind;
    }
    double most = 1;
    for (std::size_t role = 0; role < slowest.size(); ++role) {
      const auto& times = times_[slowest[role]];
      if (least_us[role] > 0 && times.computation_us / least_us[role] > most) {
        most = times.computation_us / least_us[role];
        result.slowest_rank = times.rank;
      }
      result.roles.push_back(std::move(times_[slowest[role]]));
    }
  }

  static std::size_t group_of(const Event& event) { return static_cast<std::size_t>(event.group); }

  double slowness_of(std::size_t kind) {
    const auto found = scene_.slow_down.find(kinds_.rank(kind));
    const double slow = found == scene_.slow_down.end() ? 1 : found->second;
    return scene_.jitter > 0 ? slow * (1 + std::exponential_distribution<double>(1 / scene_.jitter)(random_)) : slow;
  }

  void compute(std::size_t kind) {
    auto& state = states_[kind];
    const double alone_us = scene_.durations_us[pass_at(kind)][state.event] * slowness_of(kind);
    const double beside_us = state.flights.within(state.now_us, state.now_us + alone_us);
    const double lost_us = scene_.contention * beside_us;
    times_[kind].computation_us += alone_us + lost_us;
    times_[kind].hidden_us += beside_us;
    state.now_us += alone_us + lost_us;
    state.ends_us[state.event] = state.now_us;
  }

  double time_us(const Event& event) {
    const auto& [group, ranks] = placed_[group_of(event)];
    return network_.time(event, group, ranks).total_us;
  }

  void expose(std::size_t kind, double until_us, double RoleTimes::*part) {
    auto& state = states_[kind];
    times_[kind].*part += std::max(0.0, until_us - state.now_us);
    state.now_us = std::max(state.now_us, until_us);
  }

  /// The host runs ahead of the device, so an asynchronous call with dependencies waits only for these.
  static double issued_us(const State& state, const Event& event) {
    if (!event.is_async || event.after.empty()) return state.now_us;
    double issued_us = 0;
    for (const int before : event.after)
      issued_us = std::max(issued_us, state.ends_us[static_cast<std::size_t>(before)]);
    return issued_us;
  }

  /// The call begins when the last kind arrives.
  bool meet(std::size_t kind, const Event& event) {
    auto& state = states_[kind];
    const auto group = group_of(event);
    const auto& kinds = joins_[kind][group];
    if (kinds.size() == 1) {
      state.arrived_us = std::max(issued_us(state, event), state.free_us[group]);
      finish_call(kind, event, state.arrived_us, state.arrived_us + time_us(event));
      return true;
    }
    const auto key = std::tuple(event.group, kinds.front(), state.calls[group]);
    auto& meeting = meetings_[key];
    if (!state.has_arrived) {
      state.has_arrived = true;
      state.arrived_us = std::max(issued_us(state, event), state.free_us[group]);
      meeting.last_us = std::max(meeting.last_us, state.arrived_us);
      if (++meeting.arrived == kinds.size()) meeting.end_us = meeting.last_us + time_us(event);
    }
    if (!meeting.end_us) return false;
    state.has_arrived = false;
    ++state.calls[group];
    finish_call(kind, event, meeting.last_us, *meeting.end_us);
    if (++meeting.left == kinds.size()) meetings_.erase(key);
    return true;
  }

  void finish_call(std::size_t kind, const Event& event, double begin_us, double end_us) {
    auto& state = states_[kind];
    state.free_us[group_of(event)] = end_us;
    state.ends_us[state.event] = end_us;
    if (event.is_async) {
      state.flights.add(begin_us, end_us);
    } else {
      expose(kind, end_us, &RoleTimes::exposed_us);
    }
  }

  /// A message travels once it has been posted at both ends, and messages from one kind to another go one after
  /// another.
  void post(std::size_t kind, const Event& event) {
    auto& state = states_[kind];
    const auto other = kinds_.kind_of((kinds_.rank(kind) + event.peer) % trace_.ranks);
    const bool is_sent = event.kind == EventKind::send;
    auto& line = lines_[is_sent ? MessageKey{kind, other, event.group} : MessageKey{other, kind, event.group}];
    auto& count = is_sent ? line.sent : line.received;
    if (count == line.messages.size()) line.messages.emplace_back();
    auto& message = line.messages[count++];
    (is_sent ? message.sent_us : message.received_us) = state.now_us;
    if (message.sent_us && message.received_us) {
      const double begin_us = std::max({*message.sent_us, *message.received_us, line.free_us});
      const auto sender = is_sent ? kind : other, receiver = is_sent ? other : kind;
      message.end_us = line.free_us = send(sender, receiver, begin_us, kinds_.role(kind), event);
    }
    state.messages[state.event] = &message;
    if (!is_sent && !event.batch) state.received[{event.group, event.peer}].push_back(&message);
  }

  /// The end of a message, alongside others that leave the sender or reach the receiver on the same links.
  double send(std::size_t sender, std::size_t receiver, double begin_us, std::size_t role, const Event& event) {
    const bool is_within = is_within_nodes(role, event.peer);
    const auto time = message_time(event, is_within);
    auto& out = links_[{sender, is_within, true}];
    auto& in = links_[{receiver, is_within, false}];
    const double end_us = std::max(out.end_of(begin_us, time.bytes_us), in.end_of(begin_us, time.bytes_us));
    for (auto* link : {&out, &in}) link->take(begin_us, end_us);
    return end_us + time.total_us - time.bytes_us;
  }

  /// Whether the messages of all ranks of the role stay within nodes: the ranks send at the same time.
  bool is_within_nodes(std::size_t role, int peer) const {
    const int first = static_cast<int>(role) * trace_.role_stride;
    for (int rank = first; rank < first + trace_.role_stride; ++rank) {
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

  /// False if a message that it waits for has not been posted at both ends yet.
  bool wait(std::size_t kind, const Event& event) {
    auto& state = states_[kind];
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
    expose(kind, calls_us, &RoleTimes::exposed_us);
    expose(kind, messages_us, &RoleTimes::bubble_us);
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
  RoleKinds kinds_;
  std::mt19937_64 random_;
  std::vector<Placed> placed_;                                ///< by group
  std::vector<std::vector<std::vector<std::size_t>>> joins_;  ///< by kind and group: the kinds that take part
  std::vector<State> states_;
  std::vector<RoleTimes> times_;
  std::map<std::tuple<int, std::size_t, int>, Meeting> meetings_;  ///< by group, its first kind, and call
  std::map<MessageKey, Line> lines_;
  std::map<std::tuple<std::size_t, bool, bool>, SharedLink> links_;  ///< by kind, within nodes or not, out or in
};

}  // namespace

RoleScene usual_scene(const RoleTrace& trace, const ComputeModel& model, int ranks_per_node) {
  return {.durations_us = durations_us(trace, model),
          .ranks_per_node = ranks_per_node,
          .contention = model.device.knows_operators() ? usual_contention : 0,
          .slow_down = {}};
}

RoleSimulation simulate(const RoleTrace& trace, const RoleScene& scene, Network& network) {
  return RoleSimulator(trace, scene, network).run();
}

}  // namespace ringmark::replay
