// The measuring programs as a sweep knows them. Their own parsers decide, so that a sweep and a command line are never
// of different opinions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "results/record.hpp"
#include "sweeps/command.hpp"

namespace ringmark::sweep {

/// Beside this program's own file.
std::string program_path(const std::string& name);
/// Of the rows that a program writes.
Schema schema_of(const std::string& program);
bool writes_samples(const std::string& program);

/// The problems that a program finds in its arguments; none if it takes them.
std::vector<Problem> problems_of(const Resolved& resolved);

/// What a launch measures, and the seconds that it takes at most when it measures up to its time limit; none where the
/// iterations are fixed.
struct Extent {
  std::vector<std::size_t> sizes;  ///< in bytes, ascending
  std::size_t rows = 0;
  std::optional<double> seconds;
};
Extent extent_of(const Resolved& resolved);

/// The row of a launch that leaves none: all that the program's arguments and defaults decide. Where they name several
/// types, reductions or tests, it has them all.
Record planned_row(const Resolved& resolved);

}  // namespace ringmark::sweep
