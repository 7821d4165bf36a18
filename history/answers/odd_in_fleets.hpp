// Odd hosts of all kinds of launches, without those whose only fault is a link to another odd host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/answers/fleets.hpp"

namespace ringmark::history {

struct OddInFleet {
  std::string kind;
  OddHost host;
  std::string or_host;  ///< the other end of its only link, if that is odd as well: one of the two is at fault
};

/// For each kind, the largest change first. A host is listed only if it is still odd without its links to those before
/// it. Empty if no launches tell hosts apart.
std::optional<std::vector<OddInFleet>> odd_in_fleets(const Fleets& fleets, ChangeOptions options);

}  // namespace ringmark::history
