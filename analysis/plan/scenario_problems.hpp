// Problems of a scenario as a whole.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

/// A line for each: too many rows, what contradicts itself, and names that a spreadsheet would misread.
std::vector<std::string> problems_of(const Scenario& scenario);

}  // namespace ringmark::analysis
