// Problems of a scenario as a whole.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/scenario.hpp"
#include "base/problem.hpp"

namespace ringmark::analysis {

/// Too many rows, contradictions, and names that a spreadsheet would misread.
std::vector<Problem> problems_of(const Scenario& scenario);

}  // namespace ringmark::analysis
