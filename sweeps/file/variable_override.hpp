// Other values for a variable of a sweep, from the command line.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// `values` is what a file could have there, without the brackets of a list: "unset,2,4", "[ring]", "{from: 1, to: 8,
/// factor: 2}". The sweep is changed only if there is no problem: a variable that it has not, values that the file
/// could not have either, another number of values than the variables beside it in a zip, or a program that the sweep
/// does not name.
std::vector<Problem> override_variable(const std::string& name, const std::string& values, Sweep& sweep);

}  // namespace ringmark::sweep
