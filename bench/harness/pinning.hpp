// Which cores the ranks run on.
#pragma once

#include <memory>
#include <string>

#include "base/system/affinity.hpp"
#include "transports/bootstrap.hpp"

namespace ringmark {

/// The ranks that may use the same cores of one machine, even from different containers.
struct CoreShare {
  int ranks = 1;
  int number = 0;  ///< of this rank among them
  int cores = 1;

  bool is_tight() const { return ranks > cores; }
};

/// Every rank calls it, before any rank is bound.
CoreShare core_share(Bootstrap& bootstrap);

/// The outcome of tcp.pin.
struct Pinning {
  std::shared_ptr<StickyCore>
      sticky_core;      ///< for short vectors; null unless tcp.pin is auto and ranks outnumber cores
  std::string ignored;  ///< why it has no effect, or empty
};

/// tcp.pin=numa uses the cores near `interface`. Throws BadUsage if the system refuses to bind the rank.
Pinning pin(const std::string& how, const CoreShare& share, const std::string& interface);

}  // namespace ringmark
