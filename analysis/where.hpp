// Which rows of a table a question is about, as --where says.
#pragma once

#include <string>
#include <vector>

#include "analysis/table.hpp"

namespace ringmark::analysis {

/// Keeps the rows that meet all conditions, each "COLUMN=VALUE[,VALUE...]" of a column of the table. A value is a
/// cell's text (where a row has it, one with commas too, but in columns of the contract), "unset" for an empty cell, a
/// figure with or without K, M and G (powers of 1024), or a range of figures: "64K..16M", "1M..", "..4". Throws
/// BadUsage for a condition that cannot be read, a column that is not there, and a value that no row has which the
/// conditions before it leave.
void keep_where(Table& table, const std::vector<std::string>& conditions);

}  // namespace ringmark::analysis
