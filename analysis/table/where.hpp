// The rows of a table that --where selects.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Keeps the rows that meet all conditions, each "COLUMN=VALUE[,VALUE...]". A value is a cell's text (with commas if a
/// row has them, except in contract columns), "unset" for an empty cell, a number with or without K, M and G (powers of
/// 1024), or a range of numbers: "64K..16M", "1M..", "..4". Throws BadUsage for a condition that cannot be read, an
/// unknown column, and a value that is absent from the rows left by earlier conditions.
void keep_where(Table& table, const std::vector<std::string>& conditions);

}  // namespace ringmark::analysis
