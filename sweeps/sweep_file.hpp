// Reads a sweep's YAML file.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

struct SweepFile {
  Sweep sweep;
  std::vector<Problem> problems;  ///< each has a place; the sweep is valid only if there are none
};

/// `name` is the file's path: messages show it, and paths in the text are relative to it. Bad text never throws.
SweepFile read_sweep(const std::string& text, const std::string& name);

}  // namespace ringmark::sweep
