// Groups of ranks whose members are evenly spaced in each of one or more dimensions.
#pragma once

#include <optional>
#include <vector>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// The group that has exactly these members, without a name. `members` are ascending. Nothing if the ranks cannot be
/// divided into groups of one shape that include this one.
std::optional<RankGroup> lattice_of(const std::vector<int>& members);

/// "all", "block4" (neighbours), "stride8" (every eighth of all), "4 every 8" or "2x4 every 1 and 8"; different for
/// different groups.
std::string name_of(const RankGroup& group, int ranks);

}  // namespace ringmark::replay
