// The gate of a continuous integration: is anything slower by as much as the limit?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"

namespace ringmark::analysis {

enum class GateOutcome { passed, failed, undecided };

struct GateFinding {
  std::size_t within = 0;              ///< comparisons that are shown to stay within the limit
  std::vector<std::string> slower;     ///< shown slower, and not shown to stay within the limit; by name, with figures
  std::vector<std::string> undecided;  ///< neither; by name, and why
  /// Sizes that these launches cannot decide, beside others that stay within the limit: they scatter by more than half
  /// the limit, and another size of the same case and setting does not; or the rows of both sides doubt their own
  /// times.
  std::vector<std::string> set_aside;

  GateOutcome outcome() const {
    return !slower.empty() ? GateOutcome::failed : !undecided.empty() ? GateOutcome::undecided : GateOutcome::passed;
  }
};

/// A comparison stays within the limit if the 95 % interval of its ratio does (Welch's, of the logarithms). Where
/// nothing has changed that is sooner or later shown; a loss of `limit_percent` or more passes one time in forty.
GateFinding judge(const CompareResult& result, double limit_percent);

std::string print(const GateFinding& finding, double limit_percent);

}  // namespace ringmark::analysis
