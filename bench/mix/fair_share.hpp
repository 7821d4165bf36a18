// Max-min fair shares of links: a group can only get more by taking it from one that has no more.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringmark::mix {

/// A link between some hosts and all others, with a rate in each direction.
struct CutLink {
  std::string name;
  std::vector<std::string> hosts;
  double bytes_per_s = 0;  ///< of payload
};

struct SharedLoad {
  /// Bytes that an operation sends over a link in one direction: [group][link].
  std::vector<std::vector<double>> bytes;
  std::vector<double> bytes_per_s;  ///< of the links
  /// Operations per second of a group that runs alone: an upper limit for its share.
  std::vector<double> alone_per_s;
};

struct FairShare {
  double operations_per_s = 0;
  std::optional<std::size_t> link;  ///< the full link that limits the group; empty if it is as fast as alone
};

/// Raises all groups equally, in bytes per second on each group's own busiest link, until a link is full.
std::vector<FairShare> fair_shares(const SharedLoad& load);

}  // namespace ringmark::mix
