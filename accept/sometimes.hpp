// Parts that only some connections pass: between two leaves each connection takes one of several spines, chosen by a
// hash of its addresses and ports. A slow uplink therefore slows a share of what was measured, another share each time.
#pragma once

#include <vector>

#include "accept/fabric.hpp"
#include "accept/losses.hpp"

namespace ringmark::accept {

/// Such a part: more of what passes its leaf, or of what passes any leaf's uplinks, is slow than chance allows.
struct SometimesSlow {
  Part part;
  double share;  ///< of the measurements that are slow because of it
};

/// `is_explained` by pair: those that steady culprits slow are left out. `loss` is a logarithm, as of Losses. Each
/// measurement has a connection of its own, and no two that are made at once share an uplink. The largest share first.
std::vector<SometimesSlow> find_sometimes_slow(const Fabric& fabric, const Round& pairs, const Losses& losses,
                                               const std::vector<bool>& is_explained, double loss, double false_alarm);

}  // namespace ringmark::accept
