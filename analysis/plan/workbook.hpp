// The plan as a spreadsheet: simulated steps as values, and days, money and the choice as formulas over named cells.
#pragma once

#include <string>
#include <vector>

#include "analysis/plan/answers.hpp"

namespace ringmark::analysis {

/// Writes an xlsx, with the value of each formula. `answers` are those of the plan's rows. Throws std::system_error or
/// std::runtime_error that name the file.
void write_workbook(const std::string& path, const Scenario& scenario, const PlanWithVariants& plan,
                    const std::vector<Answer>& answers);

}  // namespace ringmark::analysis
