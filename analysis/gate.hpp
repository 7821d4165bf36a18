// The gate of a continuous integration: is anything slower by more than allowed?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare.hpp"

namespace ringmark::analysis {

enum class GateOutcome { passed, failed, undecided };

struct GateFinding {
  std::size_t slower = 0;              ///< comparisons that are shown slower by more than the limit
  std::vector<std::string> undecided;  ///< each other comparison that cannot be decided, by name, and why

  GateOutcome outcome() const {
    return slower > 0 ? GateOutcome::failed : undecided.empty() ? GateOutcome::passed : GateOutcome::undecided;
  }
};

/// A comparison passes if it would have shown a difference of `limit_percent` and shows none that large.
GateFinding judge(const CompareResult& result, double limit_percent);

std::string print(const GateFinding& finding, double limit_percent);

}  // namespace ringmark::analysis
