// Which rows of a table a question is about, as --where says.
#pragma once

#include <string>
#include <vector>

#include "analysis/table.hpp"

namespace ringmark::analysis {

/// Keeps the rows that meet all conditions, each "COLUMN=VALUE[,VALUE...]" of a column of the table; "unset" is an
/// empty cell. Figures may be given with K, M and G (powers of 1024), and as a range: "64K..16M", "1M..", "..4". Throws
/// BadUsage for a condition that cannot be read, a column that is not there, and a value that no row has.
void keep_where(Table& table, const std::vector<std::string>& conditions);

}  // namespace ringmark::analysis
