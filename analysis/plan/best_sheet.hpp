// The sheet Best: days, cost and rate of the best configuration over numbers of nodes, with charts.
#pragma once

#include "analysis/plan/results_sheet.hpp"

namespace ringmark::analysis {

void write_best(Spreadsheet& book, lxw_worksheet* sheet, const Planned& planned);

}  // namespace ringmark::analysis
