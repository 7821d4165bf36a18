#include "replay/import/roles_of_calls.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/import/agreement.hpp"
#include "replay/import/played_calls.hpp"
#include "replay/import/recorded_groups.hpp"
#include "replay/import/role_division.hpp"
#include "replay/import/steps_end.hpp"

namespace ringmark::replay {
namespace {

class Roles {
 public:
  Roles(const std::vector<std::string>& names, const std::vector<Imported>& all, const std::vector<int>& of_ranks,
        int ranks, std::vector<std::string>& notes)
      : names_(names),
        all_(all),
        of_ranks_(of_ranks),
        ranks_(ranks),
        notes_(notes),
        groups_(all, of_ranks, ranks, notes) {
    for (std::size_t i = 0; i < of_ranks.size(); ++i) recording_of_[of_ranks[i]] = i;
  }

  RoleTrace run() {
    require_agreement();
    for (std::size_t i = 0; i < all_.size(); ++i) events_.push_back(events_of(i));
    std::vector<std::vector<Event>> essences;
    for (std::size_t i = 0; i < all_.size(); ++i) essences.push_back(essence_of(i));
    const auto division = division_of(essences, {of_ranks_, ranks_, groups_.groups()});
    auto trace = trace_of(division, Awaited::soon);
    const auto has_calls = [](const Pass& pass) {
      return std::any_of(pass.events.begin(), pass.events.end(), is_call);
    };
    if (std::none_of(trace.passes.begin(), trace.passes.end(), has_calls))
      throw BadUsage("a step can represent none of the calls: " + what_is_left_out());
    if (!comes_to_its_end(trace)) {
      notes_.emplace_back(
          "ranks would wait for each other forever if they waited for messages where they receive them; they wait at "
          "the end of the step instead");
      trace = trace_of(division, Awaited::at_the_end);
      if (!comes_to_its_end(trace))
        throw BadUsage(
            "with these calls the ranks would wait for each other forever; give recordings of one whole step from "
            "all ranks");
    }
    note_what_changed(division);
    return trace;
  }

 private:
  using Number = std::pair<std::size_t, std::size_t>;  ///< recording and call

  /// Requires that the recorded members of each group make the same collectives.
  void require_agreement() {
    std::map<std::pair<int, int>, std::map<std::size_t, std::vector<std::size_t>>> calls;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (std::size_t number = 0; number < all_[i].calls.size(); ++number) {
        const auto& call = all_[i].calls[number];
        const auto& group = groups_.of(i, call);
        if (!call.peer && group.group >= 0) calls[{group.group, group.members.front()}][i].push_back(number);
      }
    }
    for (auto& [group, by_recording] : calls) {
      const auto [first, numbers] = *by_recording.begin();
      for (const int rank : groups_.groups()[static_cast<std::size_t>(group.first)].members(group.second)) {
        const auto member = recording_of_.find(rank);
        if (member != recording_of_.end()) by_recording[member->second];
      }
      for (const auto& [other, others] : by_recording) {
        for (std::size_t at = 0; at < std::max(numbers.size(), others.size()); ++at)
          require_same_call(group.first, at, first, numbers, other, others);
      }
      for (std::size_t at = 0; at < numbers.size(); ++at) note_counts(by_recording, at);
    }
  }

  void require_same_call(int group, std::size_t at, std::size_t first, const std::vector<std::size_t>& mine,
                         std::size_t other, const std::vector<std::size_t>& theirs) const {
    const auto& name = groups_.groups()[static_cast<std::size_t>(group)].name;
    if (at >= mine.size() || at >= theirs.size())
      throw BadUsage(fmt::format("{} has {} calls in group {}, {} has {}; are they ranks of one step?", names_[first],
                                 mine.size(), name, names_[other], theirs.size()));
    auto a = all_[first].calls[mine[at]], b = all_[other].calls[theirs[at]];
    a.communicator = b.communicator = 0;
    if (!is_same_but_for_parts(a, b))
      throw BadUsage(fmt::format("call {} differs in group {}: {} has {}, {} has {}; are they ranks of one step?", at,
                                 name, names_[first], describe(a), names_[other], describe(b)));
  }

  /// Keeps the counts that members of a group send to each other in an all_to_all, and the largest sum that one sends.
  void note_counts(const std::map<std::size_t, std::vector<std::size_t>>& by_recording, std::size_t at) {
    std::map<int, std::vector<std::uint64_t>> rows;  // by rank
    bool is_uneven = false;
    std::uint64_t most = 0;
    std::size_t size = 0;
    for (const auto& [recording, numbers] : by_recording) {
      const auto& call = all_[recording].calls[numbers[at]];
      size = groups_.of(recording, call).members.size();
      is_uneven = is_uneven || call.is_uneven;
      most = std::max(most, call.elements);
      if (call.parts.size() == size) rows[of_ranks_[recording]] = call.parts;
    }
    if (!is_uneven) return;
    std::vector<std::uint64_t> counts;
    if (rows.size() == size) {
      for (const auto& [rank, row] : rows) counts.insert(counts.end(), row.begin(), row.end());
    }
    uneven_ += 1;
    uneven_without_counts_ += counts.empty() ? 1 : 0;
    for (const auto& [recording, numbers] : by_recording) counts_[{recording, numbers[at]}] = {most, counts};
  }

  /// A recording's calls as events, by number; nothing for calls that are left out.
  std::vector<std::optional<Event>> events_of(std::size_t recording) {
    std::vector<std::optional<Event>> events;
    const auto& calls = all_[recording].calls;
    for (std::size_t number = 0; number < calls.size(); ++number) {
      const auto& call = calls[number];
      const auto& group = groups_.of(recording, call);
      std::optional<Event> event;
      if (call.peer)
        event = message_of(recording, call);
      else if (group.group >= 0)
        event = collective_of({recording, number}, group);
      if (event) event->group = event->channel = call.peer ? groups_.carrier_of(recording, call) : group.group;
      events.push_back(std::move(event));
    }
    return events;
  }

  std::optional<Event> collective_of(const Number& number, const GroupOfRanks& group) const {
    auto call = all_[number.first].calls[number.second];
    const auto known = counts_.find(number);
    if (known != counts_.end()) call.elements = known->second.first;
    auto event = event_of(call, static_cast<int>(group.members.size()));
    if (known != counts_.end()) {
      event.counts = known->second.second;
      event.counts_ranks = event.counts.empty() ? 0 : static_cast<int>(group.members.size());
    }
    return event.elements > 0 ? std::optional(event) : std::nullopt;
  }

  std::optional<Event> message_of(std::size_t recording, const Call& call) const {
    const auto other = groups_.peer_of(recording, call);
    if (!other || groups_.carrier_of(recording, call) < 0 || call.elements == 0) return std::nullopt;
    Event event;
    event.kind = call.peer->is_sent ? EventKind::send : EventKind::receive;
    event.phase = call.phase;
    event.elements = call.elements;
    event.type = call.type;
    event.peer = *other - of_ranks_[recording];
    event.is_async = true;
    if (call.batch >= 0) event.batch = call.batch;
    return event;
  }

  /// What two recordings must have in common to share a role. Times, phases, and whether a call was awaited may differ.
  std::vector<Event> essence_of(std::size_t recording) const {
    std::vector<Event> events;
    std::map<int, int> batches;
    for (const auto& each : events_[recording]) {
      if (!each) continue;
      events.push_back(*each);
      events.back().phase = Phase::forward;
      events.back().is_async = false;
      if (each->batch)
        events.back().batch = batches.try_emplace(*each->batch, static_cast<int>(batches.size())).first->second;
    }
    return events;
  }

  RoleTrace trace_of(const Division& division, Awaited messages) {
    RoleTrace trace;
    trace.ranks = ranks_;
    trace.source = all_.front().format;
    trace.groups = groups_.groups();
    trace.role_stride = division.stride;
    at_once_ = left_out_ = 0;
    for (int role = 0; role < division.roles; ++role) {
      const auto first = division.first_of(role, of_ranks_);
      StepTrace step;
      at_once_ += append_calls(
          step, all_[first], [&](std::size_t number) { return events_[first][number]; }, messages);
      for (std::size_t number = 0; number < events_[first].size(); ++number)
        left_out_ += !events_[first][number] && all_[first].calls[number].elements > 0 ? 1 : 0;
      trace.roles.push_back({division.name_of(role, ranks_), {}, {}});
      if (step.events.empty()) continue;
      trace.roles.back().plays.push_back({static_cast<int>(trace.passes.size()), {}});
      trace.passes.push_back({"step", {}, std::move(step.events)});
    }
    return trace;
  }

  std::string what_is_left_out() const {
    return fmt::format("{} calls are left out: their ranks are unknown, or not evenly spaced", left_out_);
  }

  void note_what_changed(const Division& division) const {
    if (at_once_ > 0) notes_.push_back(note_of_calls_at_once(at_once_));
    if (left_out_ > 0) notes_.push_back(what_is_left_out());
    if (uneven_ > 0)
      notes_.push_back(
          fmt::format("{} all_to_alls have parts of different sizes: {} with the counts of all ranks, {} with "
                      "equal parts, where the recordings lack counts",
                      uneven_, uneven_ - uneven_without_counts_, uneven_without_counts_));
    const auto computes = [](const Call& call) { return call.computed_us > 0; };
    const auto& calls = all_.front().calls;
    if (division.roles < static_cast<int>(all_.size()) && std::any_of(calls.begin(), calls.end(), computes))
      notes_.emplace_back("every rank plays the computation of the first recording of its role");
  }

  const std::vector<std::string>& names_;
  const std::vector<Imported>& all_;
  const std::vector<int>& of_ranks_;
  int ranks_;
  std::vector<std::string>& notes_;
  RecordedGroups groups_;
  std::map<int, std::size_t> recording_of_;                                        ///< by rank
  std::map<Number, std::pair<std::uint64_t, std::vector<std::uint64_t>>> counts_;  ///< of uneven all_to_alls
  std::vector<std::vector<std::optional<Event>>> events_;                          ///< by recording
  int uneven_ = 0, uneven_without_counts_ = 0, left_out_ = 0, at_once_ = 0;
};

}  // namespace

RoleTrace roles_of_calls(const std::vector<std::string>& names, const std::vector<Imported>& all,
                         const std::vector<int>& of_ranks, int ranks, std::vector<std::string>& notes) {
  return Roles(names, all, of_ranks, ranks, notes).run();
}

}  // namespace ringmark::replay
