// The rates that a cluster's launches usually reach, as expectations of acceptance.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringmark::history {

struct UsualRate {
  double GBps;
  std::size_t launches;  ///< that it rests on, since the last change
};

/// Of the out-of-place all_reduce of that size over that many ranks: bus bandwidth at the median time. Empty with too
/// few launches. Throws BadUsage if there is no such store.
std::optional<UsualRate> usual_all_reduce(const std::string& store, const std::string& cluster, std::size_t size_bytes,
                                          int ranks);

/// Of the links between these hosts with messages of that size: the median link.
std::optional<UsualRate> usual_link(const std::string& store, const std::string& cluster, std::size_t size_bytes,
                                    const std::vector<std::string>& hosts);

}  // namespace ringmark::history
