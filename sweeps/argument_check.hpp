// Whether the measuring programs would take what a sweep gives them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweeps/command.hpp"

namespace ringmark::sweep {

/// Problems as SweepFile has them, each once. The programs' own parsers decide, so that a sweep and a command line are
/// never of different opinions. Of very many different command lines only some thousands are looked at, with every
/// value among them.
std::vector<std::string> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file);

/// What a launch measures, and the seconds that it takes at most when it measures up to its time limit; none where the
/// iterations are fixed.
struct Extent {
  std::vector<std::size_t> sizes;  ///< in bytes, ascending
  std::size_t rows = 0;
  std::optional<double> seconds;
};
Extent extent_of(const Resolved& resolved);

}  // namespace ringmark::sweep
