// What else changed when a level did: versions, hosts and settings that differ between the launches before and after.
#pragma once

#include <string>
#include <vector>

#include "history/answers/chains.hpp"

namespace ringmark::history {

/// A candidate, which need not be the reason.
struct Cause {
  std::string name;           ///< "driver_version", "NCCL_ALGO", "hosts"
  std::string before, after;  ///< "unset" for a missing value; of hosts those that left and joined

  bool operator==(const Cause&) const = default;
};

/// Values of which the few launches before a point in time have others than those after it, where that point is the
/// launch at `first` or one next to it. `hosts` are those of the cluster.
std::vector<Cause> causes_of(Store& store, const Chain& chain, std::size_t first, const std::vector<HostSpan>& hosts);

/// "driver_version 550.54.15 → 560.35.03"
std::string in_words(const Cause& cause);

}  // namespace ringmark::history
