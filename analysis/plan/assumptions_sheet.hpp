// The sheet of a plan's spreadsheet that holds what a planner may change.
#pragma once

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"

namespace ringmark::analysis {

/// A line for each assumption of the scenario, its cell under a name; the cells refuse values that would break the
/// formulas.
CellNames write_assumptions(Spreadsheet& book, const Scenario& scenario);

}  // namespace ringmark::analysis
