// What else changed when a level did: versions, hosts and settings that differ between the launches before and after.
#pragma once

#include <string>
#include <vector>

#include "history/answers/chains.hpp"

namespace ringmark::history {

/// A candidate, which is not necessarily the reason.
struct Cause {
  std::string name;           ///< "driver_version", "NCCL_ALGO", "hosts"
  std::string before, after;  ///< "unset" for a missing value; for hosts, those that left and those that joined

  bool operator==(const Cause&) const = default;
};

/// Values that differ between the few launches before and after the launch at `first`, or one close to it. `hosts` are
/// those of the cluster.
std::vector<Cause> causes_of(Store& store, const Chain& chain, std::size_t first, const std::vector<HostSpan>& hosts);

/// "driver_version 550.54.15 → 560.35.03"
std::string in_words(const Cause& cause);

}  // namespace ringmark::history
