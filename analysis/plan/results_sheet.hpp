// Positions on the sheet Results, for formulas of other sheets.
#pragma once

#include <cstddef>
#include <string_view>

#include "analysis/plan/sheets.hpp"

namespace ringmark::analysis {

std::size_t result_column(std::string_view name);
constexpr std::size_t first_result_line = 2;  // above are names and units

}  // namespace ringmark::analysis
