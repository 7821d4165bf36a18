// Which cores the ranks run on.
#pragma once

#include <memory>
#include <string>

#include "base/system/affinity.hpp"
#include "transports/bootstrap.hpp"

namespace ringmark {

/// The ranks that may use the same cores of one machine, be they in one namespace or in several.
struct CoreShare {
  int ranks = 1;
  int number = 0;  ///< of this rank among them
  int cores = 1;

  bool is_tight() const { return ranks > cores; }
};

/// Every rank calls it, before any is bound.
CoreShare core_share(Bootstrap& bootstrap);

/// How tcp.pin was carried out.
struct Pinning {
  std::shared_ptr<StickyCore> sticky_core;  ///< for short vectors; null unless auto, where ranks outnumber cores
  std::string ignored;                      ///< in words, where it has no effect
};

/// `interface` is the one that pin=numa asks for its cores. Throws BadUsage if what was asked for is
/// refused.
Pinning pin(const std::string& how, const CoreShare& share, const std::string& interface);

}  // namespace ringmark
