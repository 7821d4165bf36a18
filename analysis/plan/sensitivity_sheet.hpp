// How far each input moves the cost of the answer: a table and its chart, by formulas.
#pragma once

#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// Writes into a sheet that exists. `cells` has the answer of each model.
void write_sensitivity(Spreadsheet& book, lxw_worksheet* sheet, VariantsSheet& variants, const Scenario& scenario,
                       const std::vector<Answer>& answers, const std::vector<AnswerCells>& cells);

}  // namespace ringmark::analysis
