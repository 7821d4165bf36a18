// The first sheet of a plan's spreadsheet: the cluster to choose, by formulas over the sheet Results.
#pragma once

#include <vector>

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// Writes into a sheet that exists, since the first sheet needs the names of cells on the others. Returns the cells of
/// each model's answer.
std::vector<AnswerCells> write_answer(Spreadsheet& book, lxw_worksheet* sheet, VariantsSheet& variants,
                                      const Scenario& scenario, const CellNames& names,
                                      const std::vector<PlanRow>& rows, const std::vector<Answer>& answers);

}  // namespace ringmark::analysis
