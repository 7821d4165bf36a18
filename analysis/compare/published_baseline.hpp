// `ringmark-analyze compare --published`: published results of a GPU as the baseline.
#pragma once

#include <string>

#include "analysis/table/added_baseline.hpp"
#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Adds the published results of `asked` for the operations, numbers of ranks and sizes in the table. Drops rows that
/// cannot be compared with them: in-place rows, and rows that were not timed back to back. Throws BadUsage if nothing
/// remains.
AddedBaseline add_published(Table& table, const std::string& asked);

}  // namespace ringmark::analysis
