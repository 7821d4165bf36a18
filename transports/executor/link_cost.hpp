// The link as a schedule sees it, measured by barriers, exchanges around the ring and additions, mostly in 50 to 150
// milliseconds.
#pragma once

#include <functional>

#include "transports/fabric/fabric.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// All ranks call it, at least two, with nothing else under way on the fabric. `slowest` tells the largest of what the
/// ranks pass to it, so that all get the same costs. `patience` bounds connecting, and each exchange. Throws PeerLost
/// and TimedOut.
LinkCost measure_link_cost(Fabric& fabric, const std::function<double(double)>& slowest, Clock::duration patience);

}  // namespace ringmark
