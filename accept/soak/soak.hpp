// Soaks: repeats collectives over all hosts for a given time, and logs rounds and events.
#pragma once

#include <chrono>
#include <functional>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/soak/soak_log.hpp"

namespace ringmark::accept {

struct SoakOptions {
  std::chrono::milliseconds length;
  double least_stall_s = 1;  ///< a shorter stall is not an event
};

/// Continues a log until it covers `length`. `keep` gets the log after each round, to save it. Throws
/// sweep::Interrupted.
SoakLog soak(const Criteria& criteria, Cluster& cluster, SoakLog log, const SoakOptions& options,
             const std::function<void(const SoakLog&)>& keep);

}  // namespace ringmark::accept
