// The rows of a table that --where selects.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Keeps the rows that meet all conditions, each "COLUMN=VALUE[,VALUE...]" of a column of the table. A value is a
/// cell's text (commas too where a row has them, except in columns of the contract), "unset" for an empty cell, a
/// figure with or without K, M and G (powers of 1024), or a range of figures: "64K..16M", "1M..", "..4". Throws
/// BadUsage for a condition that cannot be read, an unknown column, and a value that is absent from the rows left by
/// earlier conditions.
void keep_where(Table& table, const std::vector<std::string>& conditions);

}  // namespace ringmark::analysis
