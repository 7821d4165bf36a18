#include "replay/trace/rank_steps.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

/// The parts of a rank's step that do not depend on its events.
StepTrace frame_of(const RoleTrace& trace, int rank) {
  StepTrace step = computations_of(trace);
  step.events.clear();
  step.memory = trace.role_of(rank).memory;
  step.groups.clear();
  step.channels.clear();
  return step;
}

/// The two ranks of a line, as a group.
Group pair_of(const RoleTrace& trace, const MessageLine& line) {
  return {.name = fmt::format("{} {} to {}", trace.groups[static_cast<std::size_t>(line.group)].name, line.sender,
                              line.receiver),
          .kind = Group::Kind::list,
          .list = {std::min(line.sender, line.receiver), std::max(line.sender, line.receiver)}};
}

/// By group: whether the role calls in it.
std::vector<bool> groups_of(const RoleTrace& trace, const Role& role) {
  std::vector<bool> calls(trace.groups.size());
  for (const auto& play : role.plays) {
    for (const auto& event : trace.passes[static_cast<std::size_t>(play.pass)].events) {
      if (event.kind == EventKind::collective) calls[static_cast<std::size_t>(event.group)] = true;
    }
  }
  return calls;
}

/// Appends the events of a rank's plays, in the order in which its host issues them.
class Flattening {
 public:
  using ChannelOf = std::function<int(const Event&)>;

  /// `channel_of` returns a call's channel, or -1 if the call is left out; `group_channels` are the channels of groups.
  Flattening(ChannelOf channel_of, const std::vector<int>& group_channels, RankStep& step)
      : channel_of_(std::move(channel_of)),
        group_channels_(group_channels),
        step_(step),
        last_on_(step.trace.channels.size(), -1) {}

  void play(const Pass& pass, const std::vector<double>& durations_us, std::optional<int> micro_batch) {
    micro_step_ = std::min(micro_batch.value_or(micro_step_), step_.trace.micro_steps - 1);
    index_of_.assign(pass.events.size(), -1);
    for (const auto at : order_of(pass)) add(pass.events[at], durations_us[at], at);
  }

 private:
  /// Messages of one launch all begin at once. Starting them in the order of the channels, which is the same on all
  /// ranks, avoids a deadlock if a device runs only some of them at a time.
  std::vector<std::size_t> order_of(const Pass& pass) const {
    std::vector<std::size_t> order(pass.events.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    const auto is_joint = [&](std::size_t at) {
      return is_message(pass.events[at]) && pass.events[at].batch && pass.events[at].after.empty();
    };
    for (std::size_t first = 0; first < order.size();) {
      auto end = first + 1;
      while (is_joint(first) && end < order.size() && is_joint(end) &&
             pass.events[end].batch == pass.events[first].batch)
        ++end;
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                       order.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](auto a, auto b) { return channel_of_(pass.events[a]) < channel_of_(pass.events[b]); });
      first = end;
    }
    return order;
  }

  void add(const Event& event, double duration_us, std::size_t at) {
    auto placed = event;
    placed.micro_step = micro_step_;
    placed.after.clear();
    for (const int before : event.after) depend_on(index_of_[static_cast<std::size_t>(before)], placed);
    if (is_call(event)) {
      placed.channel = placed.group = channel_of_(event);
      if (placed.channel < 0) return;
      if (is_message(event)) placed.root = event.kind == EventKind::send ? int{event.peer < 0} : int{event.peer > 0};
    } else if (event.kind == EventKind::wait) {
      await(event, placed);
      if (placed.after.empty()) return;
    }
    const auto index = static_cast<int>(step_.trace.events.size());
    index_of_[at] = index;
    if (is_call(event)) last_on_[static_cast<std::size_t>(placed.channel)] = index;
    if (event.kind == EventKind::receive && !event.batch) received_[{event.group, event.peer}].push_back(index);
    step_.trace.events.push_back(std::move(placed));
    step_.durations_us.push_back(duration_us);
  }

  static void depend_on(int index, Event& event) {
    if (index >= 0) event.after.push_back(index);
  }

  /// Calls of a channel end in order, so the last one stands for all of them.
  void await(const Event& event, Event& placed) {
    if (event.drains) {
      const int channel = group_channels_[static_cast<std::size_t>(*event.drains)];
      if (channel >= 0) depend_on(last_on_[static_cast<std::size_t>(channel)], placed);
    }
    if (event.oldest_message_of) {
      auto& waiting = received_[{*event.oldest_message_of, event.peer}];
      if (!waiting.empty()) {
        depend_on(waiting.front(), placed);
        waiting.pop_front();
      }
    }
    placed.drains.reset();
    placed.oldest_message_of.reset();
  }

  ChannelOf channel_of_;
  const std::vector<int>& group_channels_;
  RankStep& step_;
  int micro_step_ = 0;
  std::vector<int> index_of_;                                ///< by event of the pass; -1 where it was left out
  std::vector<int> last_on_;                                 ///< by channel
  std::map<std::pair<int, int>, std::deque<int>> received_;  ///< by group and peer, not yet waited for
};

}  // namespace

RankSteps::RankSteps(const RoleTrace& trace, std::vector<std::vector<double>> durations_us)
    : trace_(trace),
      durations_us_(std::move(durations_us)),
      lines_(lines_of(trace)),
      channel_of_(trace.groups.size(), -1) {
  for (const auto& role : trace.roles) calls_.push_back(groups_of(trace, role));
  for (std::size_t group = 0; group < trace.groups.size(); ++group) {
    const bool is_used = std::any_of(calls_.begin(), calls_.end(), [&](const auto& of_role) { return of_role[group]; });
    if (!is_used || trace.groups[group].size() < 2) continue;
    channel_of_[group] = group_channels_++;
    for (int rank = 0; rank < trace.ranks; ++rank) require_all_members(group, rank);
  }
}

bool RankSteps::calls_in(std::size_t group, int rank) const {
  return calls_[static_cast<std::size_t>(rank / trace_.role_stride) % calls_.size()][group];
}

void RankSteps::require_all_members(std::size_t group, int rank) const {
  if (!calls_in(group, rank)) return;
  for (const int member : trace_.groups[group].members(rank)) {
    if (member >= trace_.ranks || !calls_in(group, member))
      throw BadUsage(fmt::format("{} calls in the group {} of rank {}, but rank {} of that group never does",
                                 trace_.role_of(rank).name, trace_.groups[group].name, rank, member));
  }
}

RankStep RankSteps::of(int rank) const {
  RankStep step{frame_of(trace_, rank), {}};
  const auto add_channel = [&](Group group) {
    step.trace.channels.push_back({group.name, static_cast<int>(step.trace.groups.size())});
    step.trace.groups.push_back(std::move(group));
  };
  for (std::size_t group = 0; group < channel_of_.size(); ++group) {
    if (channel_of_[group] < 0) continue;
    const auto& lattice = trace_.groups[group];
    if (lattice.size() == trace_.ranks) {
      add_channel({.name = lattice.name, .kind = Group::Kind::world, .list = {}});
    } else {
      const bool calls = calls_in(group, rank);
      add_channel(
          {.name = lattice.name, .kind = Group::Kind::list, .list = calls ? lattice.members(rank) : std::vector{rank}});
    }
  }
  std::vector<Group> rounds(static_cast<std::size_t>(lines_.rounds),
                            {.name = "idle", .kind = Group::Kind::list, .list = {rank}});
  for (const auto& [line, round] : lines_.round_of) {
    if (line.sender == rank || line.receiver == rank) rounds[static_cast<std::size_t>(round)] = pair_of(trace_, line);
  }
  for (auto& pair : rounds) add_channel(std::move(pair));
  const auto channel_of = [&](const Event& event) {
    if (event.kind == EventKind::collective) return channel_of_[static_cast<std::size_t>(event.group)];
    return takes_line(trace_, event) ? group_channels_ + lines_.round_of.at(line_of(event, rank)) : -1;
  };
  Flattening flattening(channel_of, channel_of_, step);
  for (const auto& [pass, micro_batch] : trace_.role_of(rank).plays) {
    const auto at = static_cast<std::size_t>(pass);
    flattening.play(trace_.passes[at], durations_us_[at], micro_batch);
  }
  return step;
}

}  // namespace ringmark::replay
