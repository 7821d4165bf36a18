// Climbs the rungs of a ladder: each needs the ones below it to pass.
#pragma once

#include <functional>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/rung_result.hpp"

namespace ringmark::accept {

/// `tell` hears of each rung as it ends. Throws sweep::Interrupted, and std::runtime_error if no host answers at all:
/// that says something of the launcher and nothing of the hosts.
LadderResult climb(const Criteria& told, Cluster& cluster, const std::function<void(const RungResult&)>& tell);

}  // namespace ringmark::accept
