// Soaks: repeats collectives over all hosts until a time is over, and logs rounds and events.
#pragma once

#include <chrono>
#include <functional>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"
#include "accept/soak_log.hpp"

namespace ringmark::accept {

struct SoakOptions {
  std::chrono::milliseconds length;
  double least_stall_s = 1;  ///< a shorter stand-still is no event
};

/// Goes on with a log until it has `length` in all. `keep` gets the log after each round, to be written down. Throws
/// sweep::Interrupted.
SoakLog soak(const Criteria& criteria, Cluster& cluster, SoakLog log, const SoakOptions& options,
             const std::function<void(const SoakLog&)>& keep);

}  // namespace ringmark::accept
