// The groups in which recorded ranks make calls, and the ranks that their messages go to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// A communicator, whose members are numbered among all ranks.
struct GroupOfRanks {
  int group = -1;            ///< index into RecordedGroups::groups; -1: its ranks are unknown, or unevenly spaced
  std::vector<int> members;  ///< ascending; empty if unknown
};

class RecordedGroups {
 public:
  /// `of_ranks` are the recordings' ranks. Calls that name no group are in the first one that fits all of them: all
  /// ranks, or one of `own_groups`, as `notes` report. Throws BadUsage if none fits.
  RecordedGroups(const std::vector<Imported>& all, const std::vector<int>& of_ranks, int ranks,
                 std::vector<std::string>& notes);

  const std::vector<RankGroup>& groups() const { return groups_; }
  const GroupOfRanks& of(std::size_t recording, const Call& call) const;
  /// The group on which a message travels: its own, or all ranks if that is not evenly spaced; -1 if it is unknown.
  int carrier_of(std::size_t recording, const Call& call) const;
  /// The other rank of a message; nothing if the communicator's ranks are unknown.
  std::optional<int> peer_of(std::size_t recording, const Call& call) const;

 private:
  void find_members_by_id();
  std::vector<int> members_of(std::size_t recording, const CommunicatorSeen& seen) const;
  GroupOfRanks found(const std::vector<int>& members, std::size_t number);
  using IsMeant = bool (*)(const Call&);
  /// By recording, the group of the calls that `is_meant` selects. `fits` takes a candidate's number.
  template <class Fits>
  std::vector<GroupOfRanks> group_of_unnamed(IsMeant is_meant, const char* in_words, Fits fits,
                                             std::vector<std::string>& notes);
  bool do_messages_fit(std::size_t candidate) const;
  bool do_collectives_fit(std::size_t candidate) const;
  std::vector<int> candidate_of(std::size_t recording, std::size_t candidate) const;

  const std::vector<Imported>& recordings_;
  const std::vector<int>& of_ranks_;
  int ranks_;
  std::vector<RankGroup> groups_;
  std::map<std::pair<std::string, std::size_t>, int> index_;  ///< by the groups' sizes and strides, and a number
  std::vector<std::vector<GroupOfRanks>> communicators_;      ///< by recording
  std::vector<int> everyone_;
  int group_of_all_ = -1;
  std::map<std::string, std::vector<int>> members_by_id_;
  std::map<std::vector<int>, std::optional<RankGroup>> lattices_;
  std::vector<GroupOfRanks> of_messages_, of_collectives_;  ///< by recording, for calls that name no group
};

}  // namespace ringmark::replay
