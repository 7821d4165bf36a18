// From a YAML file to a Sweep.
#pragma once

#include <string>
#include <vector>

#include "base/problem.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

struct SweepFile {
  Sweep sweep;
  std::vector<Problem> problems;  ///< each has a place; the sweep counts only if there are none
};

/// `name` is for messages; files that the text refers to are looked for beside it. Never throws for what is in the
/// text.
SweepFile read_sweep(const std::string& text, const std::string& name);

}  // namespace ringmark::sweep
