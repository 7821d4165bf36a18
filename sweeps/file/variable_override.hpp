// Other values for a variable of a sweep, from the command line.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// `values` is written as in a file, without the brackets of a list: "unset,2,4", "[ring]", "{from: 1, to: 8, factor:
/// 2}". Changes the sweep only if there is no problem: a variable that it does not have, values that are not allowed in
/// a file either, a different number of values than the variables zipped with it, or a program that the sweep does not
/// name.
std::vector<Problem> override_variable(const std::string& name, const std::string& values, Sweep& sweep);

}  // namespace ringmark::sweep
