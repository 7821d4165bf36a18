// Completed collectives with their times: who enters late, and which are slower than this cluster's baseline.
#pragma once

#include <string>
#include <vector>

#include "analysis/job/finding.hpp"

namespace ringmark::analysis::job {

/// The bus bandwidth of a collective when it was measured.
struct BaselineRow {
  std::string operation;
  int ranks = 0;
  double size_bytes = 0, busbw_GBps = 0;
};

/// Ranks that enter last (and so have the shortest time) in at least four of five calls, while the others wait at least
/// a fifth of their time.
std::vector<Finding> late_entries(const Evidence& evidence);

/// Collectives whose median bus bandwidth is below the baseline's by more than this share. The bandwidth of a call is
/// that of the rank that entered last, since the times of the others include waiting. The baseline needs a row of the
/// same collective and number of ranks, and of a size within a factor of two.
std::vector<Finding> slow_collectives(const Evidence& evidence, const std::vector<BaselineRow>& baseline,
                                      double tolerated_share);

}  // namespace ringmark::analysis::job
