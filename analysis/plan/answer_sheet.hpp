// The sheet Answer: the choice for each model, what would change it, and the best configuration of each place.
#pragma once

#include <vector>

#include "analysis/plan/changes_table.hpp"

namespace ringmark::analysis {

/// Returns each model's cells, which follow the assumptions.
std::vector<AnswerCells> write_answer(Spreadsheet& book, lxw_worksheet* sheet, const VariantsSheet& variants,
                                      const Scenario& scenario, const CellNames& names,
                                      const std::vector<PlanRow>& rows, const std::vector<Answer>& answers);

}  // namespace ringmark::analysis
