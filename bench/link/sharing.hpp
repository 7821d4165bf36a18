// Links that are slow only while others are measured: they share something with them, such as an uplink, always or
// because a hash laid several connections on one of its paths.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// The rows to measure again, alone: mostly the slowest of the bandwidths, and some from the whole range. Sizes that
/// the processor limits on all links are left out, by the rates between hosts where there are any. At most `most`, as
/// indices.
std::vector<std::size_t> choose_for_alone(const std::vector<Record>& at_once, std::size_t most);

struct SharedLink {
  LinkEnds link;
  double at_once_GBps, alone_GBps;
  std::uint64_t size_bytes;
  double again_GBps = 0;      ///< the best at once over other connections, by the median; 0 if that was not measured
  bool is_collision = false;  ///< over other connections it is as fast as alone, and its step carries more: others met
                              ///< it on its path by chance
};

/// The rows of a step that was measured again over other connections.
using Again = std::vector<Record>;

/// Keeps what both measurements of a step over the same connections confirm: of each link that is in both, the slower
/// row. Links that share a path may run one after the other once, and are fast then.
Again slower_of_both(const Again& once, const Again& twice);

/// Those that are clearly faster alone, the worst first. Each of `alone` has its row in `at_once`. `again` has any
/// number of measurements over other connections.
std::vector<SharedLink> find_shared(const std::vector<Record>& at_once, const std::vector<Record>& alone,
                                    const std::vector<Again>& again = {});

/// Empty if nothing was measured alone. `hosts` names the ranks.
std::string in_words(const std::vector<SharedLink>& shared, std::size_t measured_alone,
                     const std::vector<std::string>& hosts);

}  // namespace ringmark
