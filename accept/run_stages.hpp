// Runs the stages: each requires the ones before it to pass.
#pragma once

#include <functional>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/stage_result.hpp"

namespace ringmark::accept {

/// `tell` is called with each stage as it ends. Throws sweep::Interrupted, and std::runtime_error if no host answers at
/// all, which points to the launcher rather than to the hosts.
AcceptanceResult run_stages(const Criteria& wanted, Cluster& cluster,
                            const std::function<void(const StageResult&)>& tell);

}  // namespace ringmark::accept
