// Other values for a variable of a sweep, from the command line.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// `values` is written as in a file, without the brackets of a list: "unset,2,4", "[ring]", "{from: 1, to: 8, factor:
/// 2}". Returns the problems, and changes the sweep only if there are none: the sweep lacks the variable or the
/// program, a file could not have these values either, or the variables zipped with it have a different number of
/// values.
std::vector<Problem> override_variable(const std::string& name, const std::string& values, Sweep& sweep);

}  // namespace ringmark::sweep
