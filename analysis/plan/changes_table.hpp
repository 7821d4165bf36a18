// The table of what would change an answer, on the sheet Answer.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/formulas.hpp"
#include "analysis/plan/places_table.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "analysis/plan/variants_sheet.hpp"

namespace ringmark::analysis {

/// Expressions for the chosen place. They follow the answer.
struct AnswerCells {
  std::string place;  ///< its number, from 1
  std::string cluster, nodes, GPUs, days, cost, cost_per_Btok;
  CellNames::Cluster of_cluster;  ///< what the planner may change of its cluster
};

/// Lines of write_changes(), with its title.
std::size_t lines_of_changes(const VariantsSheet& variants);

/// From the line `top` on: the second configuration, another cluster, and every variant.
void write_changes(Spreadsheet& book, lxw_worksheet* sheet, std::size_t top, const Scenario& scenario,
                   const CellNames& names, const VariantsSheet& variants, const PlacesTable& places,
                   const Answer& answer, const AnswerCells& cells);

}  // namespace ringmark::analysis
