// The plan as a spreadsheet that lives: assumptions in named cells, results as formulas over them, charts, sources.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/search.hpp"

namespace ringmark::analysis {

/// Writes an xlsx. Every figure of the sheet Results is a formula; its value at the scenario's assumptions is stored
/// beside it. Throws std::system_error or std::runtime_error that name the file.
void write_workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows);

}  // namespace ringmark::analysis
