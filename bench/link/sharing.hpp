// Links that are slow only while others are measured: they share something with them, such as an uplink, either always
// or because a hash put several connections on the same path.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// The indices of up to `most` rows to measure again alone: mostly the slowest bandwidths, plus some from the whole
/// range. Leaves out sizes that the processor limits on all links, judging by the links between hosts if there are any.
std::vector<std::size_t> choose_for_alone(const std::vector<Record>& at_once, std::size_t most);

struct SharedLink {
  LinkEnds link;
  double at_once_GBps, alone_GBps;
  std::uint64_t size_bytes;
  double again_GBps = 0;  ///< the best concurrent median over different connections; 0 if not measured
  /// Over different connections it is as fast as alone and its step transfers more, so others just happened to share
  /// its path.
  bool is_collision = false;
};

/// The rows of a step that was measured again over different connections.
using Again = std::vector<Record>;

/// For each link in both measurements of a step over the same connections, the slower row: links that share a path may
/// run one after the other by accident, and are then fast in one of the measurements.
Again slower_of_both(const Again& once, const Again& twice);

/// The links that are clearly faster alone, worst first. Each row of `alone` has a counterpart in `at_once`. `again`
/// has any number of measurements over different connections.
std::vector<SharedLink> find_shared(const std::vector<Record>& at_once, const std::vector<Record>& alone,
                                    const std::vector<Again>& again = {});

/// Empty if nothing was measured alone. `hosts` has the host of each rank.
std::string in_words(const std::vector<SharedLink>& shared, std::size_t measured_alone,
                     const std::vector<std::string>& hosts);

}  // namespace ringmark
