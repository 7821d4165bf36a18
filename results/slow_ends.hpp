// The ends of links that are slow to and from everyone: ranks or hosts, whose link to the network all of theirs share.
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
  double ratio;  ///< of the median time of its links over that of the others
  double p;      ///< Mann-Whitney, its links against the others', corrected for all ends (Holm)
};

struct SlowEndLimits {
  double level = 0.01;  ///< p must be below
  double least_ratio;   ///< and the ratio at least this
};

/// The slow ones among `ends`, in order. A link may have been measured several times.
std::vector<SlowEnd> slow_ends(const std::vector<LinkTime>& links, std::size_t ends, const SlowEndLimits& limits);

}  // namespace ringmark
