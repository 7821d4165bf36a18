// The sheet Assumptions: what a planner may change, and what the plan was simulated with.
#pragma once

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// Yellow cells, under names, for all inputs that formulas follow; they refuse values that would break the formulas.
/// The inputs of the simulation stand below them.
CellNames write_assumptions(Spreadsheet& book, lxw_worksheet* sheet, const Scenario& scenario,
                            const VariantsSheet& variants);

}  // namespace ringmark::analysis
