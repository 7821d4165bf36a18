#include "replay/import/recorded_groups.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/import/lattice.hpp"

namespace ringmark::replay {
namespace {

bool is_unnamed_message(const Call& call) { return call.peer && call.communicator < 0; }
bool is_unnamed_collective(const Call& call) { return !call.peer && call.communicator < 0; }

/// Elements and types by sender and receiver, in their order.
using Line = std::pair<int, int>;
using Messages = std::map<Line, std::vector<std::pair<std::uint64_t, DataType>>>;

}  // namespace

RecordedGroups::RecordedGroups(const std::vector<Imported>& all, const std::vector<int>& of_ranks, int ranks,
                               std::vector<std::string>& notes)
    : all_(all),
      of_ranks_(of_ranks),
      ranks_(ranks),
      communicators_(all.size()),
      everyone_(static_cast<std::size_t>(ranks)) {
  std::iota(everyone_.begin(), everyone_.end(), 0);
  // Communicators of the same ranks are told apart by their ids, or else by the order in which a rank used them.
  std::map<std::vector<int>, std::vector<std::string>> ids;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::map<std::vector<int>, std::size_t> used;
    for (const auto& seen : all[i].communicators) {
      const auto members = members_of(i, seen);
      auto& known = ids[members];
      auto number = used[members]++;
      if (!seen.id.empty()) {
        const auto place = std::find(known.begin(), known.end(), seen.id);
        number = static_cast<std::size_t>(place - known.begin());
        if (place == known.end()) known.push_back(seen.id);
      }
      communicators_[i].push_back(found(members, number));
    }
  }
  of_messages_ = group_of_unnamed(
      is_unnamed_message, "messages", [&](std::size_t each) { return do_messages_fit(each); }, notes);
  of_collectives_ = group_of_unnamed(
      is_unnamed_collective, "collectives", [&](std::size_t each) { return do_collectives_fit(each); }, notes);
}

std::vector<int> RecordedGroups::members_of(std::size_t recording, const CommunicatorSeen& seen) const {
  std::vector<int> members = seen.members;
  if (members.empty() && seen.ranks == ranks_) members = everyone_;
  if (!members.empty() || seen.ranks < 1) return members;
  if (seen.ranks == 1) return {of_ranks_[recording]};
  if (seen.id.empty()) return {};
  std::map<int, int> by_place;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    for (const auto& each : all_[i].communicators) {
      if (each.id == seen.id && each.ranks == seen.ranks) by_place[each.rank] = of_ranks_[i];
    }
  }
  if (static_cast<int>(by_place.size()) != seen.ranks) return {};
  for (const auto& [place, rank] : by_place) members.push_back(rank);
  return members;
}

GroupOfRanks RecordedGroups::found(const std::vector<int>& members, std::size_t number) {
  auto group = lattice_of(members);
  if (!group || members.back() >= ranks_) return {-1, members};
  std::string key;
  for (const auto& [size, stride] : group->dimensions) key += fmt::format("{}/{} ", size, stride);
  const auto [place, is_new] = index_.try_emplace({key, number}, static_cast<int>(groups_.size()));
  if (is_new) {
    group->name = name_of(*group, ranks_) + (number > 0 ? fmt::format(".{}", number + 1) : "");
    groups_.push_back(*std::move(group));
  }
  return {place->second, members};
}

const GroupOfRanks& RecordedGroups::of(std::size_t recording, const Call& call) const {
  if (call.communicator >= 0) return communicators_[recording][static_cast<std::size_t>(call.communicator)];
  return (call.peer ? of_messages_ : of_collectives_)[recording];
}

std::optional<int> RecordedGroups::peer_of(std::size_t recording, const Call& call) const {
  const auto& members = of(recording, call).members;
  const auto number = static_cast<std::size_t>(call.peer->number);
  return call.peer->number < 0 || number >= members.size() ? std::nullopt : std::optional(members[number]);
}

/// The first candidate is all ranks, the others are the rank's groups of several ranks.
std::vector<int> RecordedGroups::candidate_of(std::size_t recording, std::size_t candidate) const {
  if (candidate == 0) return everyone_;
  std::size_t number = 0;
  for (const auto& each : all_[recording].own_groups) {
    if (each.size() > 1 && ++number == candidate) return each;
  }
  return {};
}

bool RecordedGroups::do_messages_fit(std::size_t candidate) const {
  Messages sent, received;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto members = candidate_of(i, candidate);
    for (const auto& call : all_[i].calls) {
      if (!is_unnamed_message(call)) continue;
      const auto number = static_cast<std::size_t>(call.peer->number);
      if (number >= members.size() || members[number] == of_ranks_[i]) return false;
      const int other = members[number];
      auto& messages = call.peer->is_sent ? sent[{of_ranks_[i], other}] : received[{other, of_ranks_[i]}];
      messages.emplace_back(call.elements, call.type);
    }
  }
  return sent == received;
}

/// Whether the members of each group make the same calls, and as many as their sizes need.
bool RecordedGroups::do_collectives_fit(std::size_t candidate) const {
  std::map<std::vector<int>, std::vector<Call>> calls;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto members = candidate_of(i, candidate);
    std::vector<Call> mine;
    for (const auto& call : all_[i].calls) {
      if (!is_unnamed_collective(call)) continue;
      if (!call.parts.empty() && call.parts.size() != members.size()) return false;
      mine.push_back(call);
    }
    const auto are_same = [](Call a, Call b) {
      a.is_uneven = b.is_uneven = a.is_uneven || b.is_uneven;
      return is_same_call(a, b);
    };
    const auto [known, is_new] = calls.try_emplace(members, mine);
    if (members.empty() && !mine.empty()) return false;
    if (!is_new && !std::equal(known->second.begin(), known->second.end(), mine.begin(), mine.end(), are_same))
      return false;
  }
  return true;
}

template <class Fits>
std::vector<GroupOfRanks> RecordedGroups::group_of_unnamed(IsMeant is_meant, const char* in_words, Fits fits,
                                                           std::vector<std::string>& notes) {
  std::vector<GroupOfRanks> groups(all_.size());
  std::size_t candidates = 1;
  bool are_there = false;
  for (const auto& each : all_) {
    are_there = are_there || std::any_of(each.calls.begin(), each.calls.end(), is_meant);
    candidates = std::max(candidates, each.own_groups.size() + 1);
  }
  if (!are_there) return groups;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    if (candidates > 1 && !fits(candidate)) continue;
    for (std::size_t i = 0; i < all_.size(); ++i) groups[i] = found(candidate_of(i, candidate), 0);
    if (candidate > 0 && groups.front().group >= 0)
      notes.push_back(fmt::format("{} name no group, and are taken for those of {}, the first one that fits them all",
                                  in_words, groups_[static_cast<std::size_t>(groups.front().group)].name));
    return groups;
  }
  throw BadUsage(fmt::format(
      "the {} of the ranks name no group, and fit none: what one rank calls, others do not; give recordings of the "
      "same "
      "step of all ranks, by NCCL or by an execution trace of functional collectives, which name their groups",
      in_words));
}

}  // namespace ringmark::replay
