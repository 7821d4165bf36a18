// Validates a sweep's arguments with the programs' own parsers, and finds the line of the file for each problem.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/file/plan.hpp"

namespace ringmark::sweep {

/// Reports each problem once, with its place. If there are too many different command lines, checks only a few
/// thousand, which together contain every value.
std::vector<Problem> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file);

/// The name that the problem's flag, --set option or environment variable has in a sweep file.
std::string name_in_file(const Problem& problem);

}  // namespace ringmark::sweep
