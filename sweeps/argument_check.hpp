// What the programs have against the command lines of a sweep, by the lines of its file.
#pragma once

#include <string>
#include <vector>

#include "sweeps/plan.hpp"

namespace ringmark::sweep {

/// Problems as SweepFile has them, each once. Of very many different command lines only some thousands are looked at,
/// with every value among them.
std::vector<std::string> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file);

}  // namespace ringmark::sweep
