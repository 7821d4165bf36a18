// How often links have gone down, by the counters that hosts report of themselves.
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

  /// The links whose counters have risen since the last visit, of those that may carry the run. A host that does not
  /// answer keeps its counts, which are compared once it answers again; one that is seen for the first time adds none.
  std::vector<LinkDown> seen(const Visit& visit);

 private:
  const Criteria& criteria_;
  std::map<std::pair<std::string, std::string>, long> counts_;  ///< since the hosts started, by host and device
};

}  // namespace ringmark::accept
