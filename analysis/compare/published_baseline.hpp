// `ringmark-analyze compare --published`: published results of a GPU as the baseline.
#pragma once

#include <string>

#include "analysis/table/added_baseline.hpp"
#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Adds the results that published_results() has for `asked` of the operations, numbers of ranks and sizes in the
/// table, and drops rows that cannot be compared with them: those in place, and those not back to back. Throws BadUsage
/// if nothing remains.
AddedBaseline add_published(Table& table, const std::string& asked);

}  // namespace ringmark::analysis
