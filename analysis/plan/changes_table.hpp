// The changes that would alter a plan's answer: a table of formulas on the sheet Answer.
#pragma once

#include <string>

#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// Ranges over the places of a model on the sheet Answer, each with its best configuration.
struct PlacesCells {
  std::string clusters, nodes, days, costs, orders;
};

/// Writes from the line `top` on; returns the line after the table. The first lines follow the answer. The others
/// change the place that was chosen when the plan was made, whose days and cost are in the cells of `chosen_place`.
std::size_t write_changes(Spreadsheet& book, lxw_worksheet* sheet, std::size_t top, VariantsSheet& variants,
                          const Scenario& scenario, const CellNames& names, std::size_t results, const Answer& answer,
                          const AnswerCells& cells, const PlacesCells& places, const AnswerCells& chosen_place);

}  // namespace ringmark::analysis
