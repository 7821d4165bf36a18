// Measures the link as a schedule sees it, with barriers, exchanges around the ring and additions; usually within 50 to
// 150 milliseconds.
#pragma once

#include <functional>

#include "transports/fabric/fabric.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// All ranks call it (at least two), with nothing else in flight on the fabric. `slowest` returns the largest of the
/// values that the ranks pass to it, so that all ranks get the same costs. `patience` bounds connecting and each
/// exchange. Throws PeerLost and TimedOut.
LinkCost measure_link_cost(Fabric& fabric, const std::function<double(double)>& slowest, Clock::duration patience);

}  // namespace ringmark
