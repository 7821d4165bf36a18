// Climbs the rungs of a ladder: each needs the ones below it to pass.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/verdict.hpp"

namespace ringmark::accept {

struct Finding {
  std::string part;                ///< "host-2", "host-0 to host-3"
  std::vector<std::string> hosts;  ///< to take out of service; none where the network between hosts is to blame
  std::string evidence;            ///< in words
};

struct RungResult {
  Rung rung;
  Outcome outcome;
  std::string summary;            ///< in a line
  std::vector<Finding> findings;  ///< that make it fail
  std::vector<std::string> undecided, remarks;
  std::size_t rounds = 0;  ///< of measuring
};

struct LadderResult {
  Outcome outcome = Outcome::undecided;
  std::vector<RungResult> rungs;  ///< those that were climbed, in order
  std::vector<Rung> left_out;     ///< because one below failed, or could not be decided
};

/// `tell` hears of each rung as it ends. Throws sweep::Interrupted, and std::runtime_error if no host answers at all:
/// that says something of the launcher and nothing of the hosts.
LadderResult climb(const Criteria& criteria, Cluster& cluster, const std::function<void(const RungResult&)>& tell);

}  // namespace ringmark::accept
