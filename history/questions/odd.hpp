// Hosts that drift away from their fleet.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "history/questions/changes.hpp"
#include "history/questions/point.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {

/// One time for each launch in which the host took part, in time order.
struct HostSeries {
  std::string host;
  std::vector<Point> points;
};

struct OddHost {
  std::string host;
  Change::Kind kind;
  std::chrono::sys_seconds since;  ///< start of its last change
  double ratio;                    ///< its level now over its first level, both relative to the fleet
  Interval interval;               ///< 95 %, of the ratio
  double p;                        ///< as that of a change, corrected for the number of hosts
};

/// The hosts whose level relative to the fleet is no longer what it was, the largest change first. Hosts may differ in
/// level. A change of the whole fleet does not count, and a host that returned to its former level is not odd. Nights
/// with fewer than three hosts are ignored.
std::vector<OddHost> odd_hosts(std::span<const HostSeries> hosts, const ChangeOptions& options);

}  // namespace ringmark::history
