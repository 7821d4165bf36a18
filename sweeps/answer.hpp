// The answer to a sweep's question in one table: for each measured thing the default, the best, and the difference.
#pragma once

#include <string>
#include <vector>

#include "results/record.hpp"
#include "sweeps/journal.hpp"
#include "sweeps/plan.hpp"

namespace ringmark::sweep {

/// `rows` are those of results.csv, `done` the journal's. Ranks, sizes, types, operations, placements, models and
/// devices say what was measured, so each has a line of its own; all other variables are settings to choose from. The
/// interval of the best is widened for the number of settings that it was chosen from (Bonferroni).
std::string answer(const Sweep& sweep, const Plan& plan, const std::vector<Record>& rows,
                   const std::vector<Done>& done);

}  // namespace ringmark::sweep
