// Parts that only some connections pass: between two leaves each connection takes one of several spines, chosen by a
// hash of its addresses and ports. A slow uplink therefore slows a share of the measurements, a different share each
// time.
#pragma once

#include <vector>

#include "accept/fabric/fabric.hpp"
#include "accept/judge/losses.hpp"

namespace ringmark::accept {

/// Such a part: of the measurements across its leaf's uplinks, or across any leaf's, more are slow than random
/// variation allows.
struct SometimesSlow {
  Part part;
  double share;  ///< fraction of the measurements that are slow because of it
};

/// `is_explained` is by pair: those that a permanently slow culprit explains are left out. `loss` is a logarithm, as in
/// Losses. Each measurement has its own connection, and no two concurrent ones share an uplink. Returns the largest
/// share first.
std::vector<SometimesSlow> find_sometimes_slow(const Fabric& fabric, const Round& pairs, const Losses& losses,
                                               const std::vector<bool>& is_explained, double loss, double false_alarm);

}  // namespace ringmark::accept
