// Ends of links that are slow to and from everyone: ranks, or hosts whose ranks share one link to the network.
#pragma once

#include <cstddef>
#include <vector>

namespace ringmark {

struct LinkTime {
  std::size_t from, to;
  double time_us;  ///< of a message
};

struct SlowEnd {
  std::size_t end;
  double ratio;  ///< median time of its links over that of the other links
  double p;      ///< Mann-Whitney test of its links against the others, corrected for all ends (Holm)
};

struct SlowEndLimits {
  double level = 0.01;  ///< upper bound for p
  double least_ratio;   ///< lower bound for the ratio
};

/// The slow ones of the ends 0 to `ends` - 1, in order. A link may be measured several times.
std::vector<SlowEnd> slow_ends(const std::vector<LinkTime>& links, std::size_t ends, const SlowEndLimits& limits);

}  // namespace ringmark
