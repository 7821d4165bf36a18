// Which ranks share a role, where some or all ranks were recorded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// A rank's role is its number divided by `stride`, modulo the number of roles.
struct Division {
  int roles = 1, stride = 1;

  int role_of(int rank) const { return rank / stride % roles; }
  /// The first recording of a role; `of_ranks` are the recordings' ranks.
  std::size_t first_of(int role, const std::vector<int>& of_ranks) const;
  /// "rank 3", "ranks 0-3, 8-11" or "ranks 0, 2, … 4094".
  std::string name_of(int role, int ranks) const;
};

struct RecordedRanks {
  const std::vector<int>& of_ranks;  ///< by recording
  int ranks = 1;                     ///< in all
  const std::vector<RankGroup>& groups;
};

/// The division into the fewest roles in which each role was recorded, the members of each group make the same calls in
/// it, and each message is received. `calls` are the recordings' calls, which must be equal for ranks to share a role.
/// If no division is valid, throws BadUsage with what is wrong with the first one.
Division division_of(const std::vector<std::vector<Event>>& calls, const RecordedRanks& recorded);

}  // namespace ringmark::replay
