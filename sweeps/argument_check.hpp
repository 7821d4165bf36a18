// Whether the measuring programs would take what a sweep gives them.
#pragma once

#include <string>
#include <vector>

#include "sweeps/plan.hpp"

namespace ringmark::sweep {

/// Problems as SweepFile has them, each once. The programs' own parsers decide, so that a sweep and a command line are
/// never of different opinions. Of very many different command lines only some thousands are looked at, with every
/// value among them.
std::vector<std::string> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file);

}  // namespace ringmark::sweep
