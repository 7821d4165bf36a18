// The gate for continuous integration: is anything slower by as much as the limit?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"

namespace ringmark::analysis {

enum class GateOutcome { passed, failed, undecided };

struct GateFinding {
  std::size_t within = 0;              ///< comparisons that stay within the limit
  std::vector<std::string> slower;     ///< significantly slower, and not within the limit; names and numbers
  std::vector<std::string> undecided;  ///< neither; names and reasons
  /// Comparisons that these launches cannot decide while others stay within the limit: their times scatter too much,
  /// and another size of the same case, setting and value is within the limit; or rows of both sides have caveats, and
  /// any comparison is within it.
  std::vector<std::string> set_aside;

  GateOutcome outcome() const {
    return !slower.empty() ? GateOutcome::failed : !undecided.empty() ? GateOutcome::undecided : GateOutcome::passed;
  }
};

/// A comparison stays within the limit if the 95 % interval of its ratio does (Welch's, of the logarithms). With enough
/// launches an unchanged case passes; a loss of `limit_percent` or more passes at most one time in forty.
GateFinding judge(const CompareResult& result, double limit_percent);

std::string print(const GateFinding& finding, double limit_percent);

}  // namespace ringmark::analysis
