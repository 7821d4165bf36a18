// Validates a sweep's arguments with the programs' own parsers, and finds the line of the file for each problem.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/plan.hpp"

namespace ringmark::sweep {

/// Problems as SweepFile has them, each once. Where there are very many different command lines, only some thousands
/// are checked, with every value among them.
std::vector<Problem> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file);

}  // namespace ringmark::sweep
