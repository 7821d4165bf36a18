#include "replay/import/groups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "replay/import/recorded_ranks.hpp"

namespace ringmark::replay {
namespace {

/// Without the recording's rank, every group of that size fits.
bool fits(const Group& group, const CommunicatorSeen& seen, std::optional<int> rank, int ranks) {
  const auto members = group.members(rank.value_or(0), ranks);
  if (static_cast<int>(members.size()) != seen.ranks) return false;
  if (!rank) return true;
  if (!seen.members.empty()) return seen.members == members;
  if (seen.rank < 0) return true;
  return seen.rank < seen.ranks && members[static_cast<std::size_t>(seen.rank)] == rank;
}

std::vector<Group> candidates(const CommunicatorSeen& seen, std::optional<int> rank, int ranks) {
  if (seen.ranks == ranks && (seen.members.empty() || fits(Group{}, seen, 0, ranks))) return {Group{}};
  if (!seen.members.empty()) rank = seen.members.front();  // any member would do
  if (seen.ranks < 1 || ranks % seen.ranks != 0) return {};
  std::vector<Group> result;
  for (const auto& group :
       {Group{fmt::format("block{}", seen.ranks), Group::Kind::block, seen.ranks},
        Group{fmt::format("stride{}", ranks / seen.ranks), Group::Kind::stride, ranks / seen.ranks}}) {
    if (fits(group, seen, rank, ranks)) result.push_back(group);
  }
  return result;
}

}  // namespace

std::vector<std::optional<Group>> groups_of(const std::vector<Imported>& recordings, int ranks,
                                            std::vector<std::string>& notes) {
  std::vector<std::optional<Group>> result;
  for (std::size_t i = 0; i < recordings.front().communicators.size(); ++i) {
    auto left = candidates(recordings.front().communicators[i], recorded_rank(recordings.front(), ranks), ranks);
    for (const auto& other : recordings) {
      if (other.communicators.size() != recordings.front().communicators.size()) continue;
      const auto theirs = candidates(other.communicators[i], recorded_rank(other, ranks), ranks);
      std::erase_if(left,
                    [&](const auto& each) { return std::find(theirs.begin(), theirs.end(), each) == theirs.end(); });
    }
    if (left.size() > 1)
      notes.push_back(
          fmt::format("a communicator of {} ranks is assumed to have neighbouring ranks; the recording of "
                      "another rank would show whether it does",
                      recordings.front().communicators[i].ranks));
    result.push_back(left.empty() ? std::nullopt : std::optional(left.front()));
  }
  return result;
}

}  // namespace ringmark::replay
