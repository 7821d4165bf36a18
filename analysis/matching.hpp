// Which measurements may be held against each other: of the same thing, alike in every setting but one, over the same
// path.
#pragma once

#include <vector>

#include "analysis/compare.hpp"

namespace ringmark::analysis {

/// What compare() judges: its comparisons have their launches' times and no verdict yet, in the order of the rows.
/// Throws as compare() does.
CompareResult match(const Table& table, const std::vector<std::size_t>& rows, const CompareOptions& options);

}  // namespace ringmark::analysis
