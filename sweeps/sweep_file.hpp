// From a YAML file to a Sweep.
#pragma once

#include <string>
#include <vector>

#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

struct SweepFile {
  Sweep sweep;
  std::vector<std::string> problems;  ///< "FILE:LINE: KEY: what is wrong; remedy"; the sweep counts only if empty
};

/// `name` is for messages; files that the text refers to are looked for beside it. Never throws for what is in the
/// text.
SweepFile read_sweep(const std::string& text, const std::string& name);

}  // namespace ringmark::sweep
