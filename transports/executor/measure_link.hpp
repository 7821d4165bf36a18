// The link as a schedule sees it: measured with exchanges around the ring, in some tens of milliseconds.
#pragma once

#include <functional>

#include "transports/fabric/fabric.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// All ranks call it, at least two, with nothing else under way on the fabric. `slowest` tells the largest of what the
/// ranks pass to it, so that all get the same costs. Throws PeerLost, and TimedOut at the deadline.
LinkCost measure_link(Fabric& fabric, const std::function<double(double)>& slowest, Deadline deadline);

}  // namespace ringmark
