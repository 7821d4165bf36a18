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

/// Upper limit of the groups in a step's file.
constexpr std::size_t most_groups = 256;

/// Elements and types by sender and receiver, in their order.
using Line = std::pair<int, int>;
using Messages = std::map<Line, std::vector<std::pair<std::uint64_t, DataType>>>;

}  // namespace

RecordedGroups::RecordedGroups(const std::vector<Imported>& all, const std::vector<int>& of_ranks, int ranks,
                               std::vector<std::string>& notes)
    : recordings_(all),
      of_ranks_(of_ranks),
      ranks_(ranks),
      communicators_(all.size()),
      everyone_(static_cast<std::size_t>(ranks)) {
  std::iota(everyone_.begin(), everyone_.end(), 0);
  find_members_by_id();
  // Communicators of the same ranks are told apart by their ids, or else by the order in which a rank used them.
  std::map<std::vector<int>, std::vector<std::string>> ids;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::map<std::vector<int>, std::size_t> used;
    for (const auto& seen : all[i].communicators) {
      const auto members = members_of(i, seen);
      auto& known = ids[members];
      auto number = used[members]++;
      const auto place = seen.id.empty() ? known.end() : std::find(known.begin(), known.end(), seen.id);
      if (place != known.end()) {
        number = static_cast<std::size_t>(place - known.begin());
      } else if (!seen.id.empty() || number == known.size()) {
        number = known.size();
        known.push_back(seen.id);
      }
      communicators_[i].push_back(found(members, number));
    }
  }
  of_messages_ = group_of_unnamed(
      is_unnamed_message, "messages", [&](std::size_t each) { return do_messages_fit(each); }, notes);
  of_collectives_ = group_of_unnamed(
      is_unnamed_collective, "collectives", [&](std::size_t each) { return do_collectives_fit(each); }, notes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& call : all[i].calls) {
      const bool needs_all = call.peer && of(i, call).group < 0 && !of(i, call).members.empty();
      if (needs_all && group_of_all_ < 0) group_of_all_ = found(everyone_, 0).group;
    }
  }
}

/// Finds the members of communicators that share an id, if all of them were recorded.
void RecordedGroups::find_members_by_id() {
  std::map<std::string, std::map<int, int>> places;
  std::map<std::string, int> sizes;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    for (const auto& each : recordings_[i].communicators) {
      if (each.id.empty() || each.rank < 0) continue;
      places[each.id].emplace(each.rank, of_ranks_[i]);
      sizes[each.id] = each.ranks;
    }
  }
  for (const auto& [id, by_place] : places) {
    if (static_cast<int>(by_place.size()) != sizes[id]) continue;
    for (const auto& [place, rank] : by_place) members_by_id_[id].push_back(rank);
  }
}

std::vector<int> RecordedGroups::members_of(std::size_t recording, const CommunicatorSeen& seen) const {
  if (!seen.members.empty()) return seen.members;
  if (seen.ranks == ranks_) return everyone_;
  if (seen.ranks == 1) return {of_ranks_[recording]};
  const auto by_id = members_by_id_.find(seen.id);
  const int own = of_ranks_[recording];
  const bool is_known = by_id != members_by_id_.end() &&
                        std::find(by_id->second.begin(), by_id->second.end(), own) != by_id->second.end();
  return is_known ? by_id->second : std::vector<int>{};
}

GroupOfRanks RecordedGroups::found(const std::vector<int>& members, std::size_t number) {
  const auto [known, is_unseen] = lattices_.try_emplace(members);
  if (is_unseen) known->second = lattice_of(members);
  const auto& lattice = known->second;
  if (!lattice || members.back() >= ranks_) return {-1, members};
  const auto name = name_of(*lattice, ranks_);
  auto place = index_.find({name, number});
  if (place == index_.end() && groups_.size() >= most_groups) place = index_.find({name, 0});
  if (place == index_.end()) {
    if (groups_.size() >= most_groups)
      throw BadUsage(fmt::format(
          "the ranks are in more than {} kinds of groups, which is the most that a step can have", most_groups));
    place = index_.emplace(std::pair{name, number}, static_cast<int>(groups_.size())).first;
    groups_.push_back(*lattice);
    groups_.back().name = name + (number > 0 ? fmt::format(".{}", number + 1) : "");
  }
  return {place->second, members};
}

const GroupOfRanks& RecordedGroups::of(std::size_t recording, const Call& call) const {
  if (call.communicator >= 0) return communicators_[recording][static_cast<std::size_t>(call.communicator)];
  return (call.peer ? of_messages_ : of_collectives_)[recording];
}

int RecordedGroups::carrier_of(std::size_t recording, const Call& call) const {
  const auto& group = of(recording, call);
  return group.group < 0 && !group.members.empty() ? group_of_all_ : group.group;
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
  for (const auto& each : recordings_[recording].own_groups) {
    if (each.size() > 1 && ++number == candidate) return each;
  }
  return {};
}

bool RecordedGroups::do_messages_fit(std::size_t candidate) const {
  Messages sent, received;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    const auto members = candidate_of(i, candidate);
    for (const auto& call : recordings_[i].calls) {
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

/// Whether the members of each group make the same calls, with one part for each member.
bool RecordedGroups::do_collectives_fit(std::size_t candidate) const {
  std::map<std::vector<int>, std::vector<Call>> calls;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    const auto members = candidate_of(i, candidate);
    std::vector<Call> mine;
    for (const auto& call : recordings_[i].calls) {
      if (!is_unnamed_collective(call)) continue;
      if (!call.parts.empty() && call.parts.size() != members.size()) return false;
      mine.push_back(call);
    }
    const auto [known, is_new] = calls.try_emplace(members, mine);
    if (members.empty() && !mine.empty()) return false;
    if (!is_new &&
        !std::equal(known->second.begin(), known->second.end(), mine.begin(), mine.end(), is_same_but_for_parts))
      return false;
  }
  return true;
}

template <class Fits>
std::vector<GroupOfRanks> RecordedGroups::group_of_unnamed(IsMeant is_meant, const char* in_words, Fits fits,
                                                           std::vector<std::string>& notes) {
  std::vector<GroupOfRanks> groups(recordings_.size());
  std::size_t candidates = 1;
  bool are_there = false;
  for (const auto& each : recordings_) {
    are_there = are_there || std::any_of(each.calls.begin(), each.calls.end(), is_meant);
    candidates = std::max(candidates, each.own_groups.size() + 1);
  }
  if (!are_there) return groups;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    if (candidates > 1 && !fits(candidate)) continue;
    for (std::size_t i = 0; i < recordings_.size(); ++i) groups[i] = found(candidate_of(i, candidate), 0);
    if (candidate > 0 && groups.front().group >= 0)
      notes.push_back(
          fmt::format("{} name no group, and are assumed to be in {}, the first group that fits all of them", in_words,
                      groups_[static_cast<std::size_t>(groups.front().group)].name));
    return groups;
  }
  throw BadUsage(fmt::format(
      "the {} of the ranks name no group, and fit none: ranks make calls that others of the group do not make; give "
      "recordings of the same step of all ranks, over NCCL or as execution traces of functional collectives, which "
      "name their groups",
      in_words));
}

}  // namespace ringmark::replay
