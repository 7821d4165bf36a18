// The caveats of a table's rows, for whatever is decided from them.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "results/schema/caveat.hpp"

namespace ringmark::analysis {

/// The caveats of all the rows together, as CaveatTally adds them up.
std::vector<Caveat> caveats_of(const Table& table, const std::vector<std::size_t>& rows);

}  // namespace ringmark::analysis
