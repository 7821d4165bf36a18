// How often links went down, by the counters that hosts report.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accept/cluster.hpp"
#include "accept/criteria.hpp"

namespace ringmark::accept {

/// A link that went down since an earlier visit.
struct LinkDown {
  std::string host, device;
  std::size_t times;
};
/// "the link of host-2 e0 went down 3 times"
std::string in_words(const LinkDown& down);

class LinkDowns {
 public:
  explicit LinkDowns(const Criteria& criteria) : criteria_(criteria) {}

  /// The links whose counters have risen since the last visit, among those that may carry the run's traffic. A host
  /// that does not answer keeps its counts until it answers again; a host seen for the first time adds nothing.
  std::vector<LinkDown> seen(const Visit& visit);

 private:
  const Criteria& criteria_;
  std::map<std::pair<std::string, std::string>, long> counts_;  ///< since each host booted, by host and device
};

}  // namespace ringmark::accept
