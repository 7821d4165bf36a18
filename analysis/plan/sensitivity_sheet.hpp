// The sheet Sensitivity: how far each input, alone, moves the cost of the answer.
#pragma once

#include <vector>

#include "analysis/plan/changes_table.hpp"

namespace ringmark::analysis {

/// `cells` are those of write_answer().
void write_sensitivity(Spreadsheet& book, lxw_worksheet* sheet, const VariantsSheet& variants, const Scenario& scenario,
                       const CellNames& names, const std::vector<Answer>& answers,
                       const std::vector<AnswerCells>& cells);

}  // namespace ringmark::analysis
