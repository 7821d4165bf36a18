// Odd hosts of all kinds of launches, without those whose only fault is a link to another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/answers/fleets.hpp"

namespace ringmark::history {

struct OddInFleet {
  std::string kind;
  OddHost host;
  std::string or_host;  ///< the other end of its only link, if that is odd as well: one of both is at fault
};

/// The largest change of each kind first. A host is odd only if it still is without the links of those before it.
/// Empty if no launches tell hosts apart.
std::optional<std::vector<OddInFleet>> odd_in_fleets(const Fleets& fleets, ChangeOptions options);

}  // namespace ringmark::history
