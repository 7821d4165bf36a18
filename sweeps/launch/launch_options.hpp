// A launch's flags, read by its program's own parser, so that a sweep and the program always agree on them.
#pragma once

#include <optional>
#include <vector>

#include "base/problem.hpp"
#include "results/schema/record.hpp"
#include "sweeps/launch/command.hpp"

namespace ringmark::sweep {

/// The problems that the program finds in its flags; none if it accepts them.
std::vector<Problem> problems_of(const Resolved& resolved);

/// Returns the launch with `--algorithm auto` set to reuse its choices in `file` and to add new ones, so that all
/// launches of a setting use the same algorithms. Changes nothing if an algorithm is given or a library chooses.
Resolved keep_algorithms(Resolved resolved, const std::string& file);

struct Extent {
  std::vector<std::size_t> sizes;  ///< in bytes, ascending
  std::size_t rows = 0;
  std::optional<double> seconds;  ///< upper bound from the time limits; empty if the number of iterations is fixed
};
Extent extent_of(const Resolved& resolved);

/// The GPUs that a launch uses on each node: one for each rank there, unless its options let ranks share one; 0 if its
/// buffers are in host memory.
int gpus_per_node_of(const Resolved& resolved);

/// The row for a launch that wrote none: everything that the program's flags and defaults determine. Its cells list all
/// types, reductions and tests if the flags name several.
Record planned_row(const Resolved& resolved);

}  // namespace ringmark::sweep
