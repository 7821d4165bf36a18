// A sweep that was read and found right.
#pragma once

#include <string>

#include "sweeps/plan.hpp"

namespace ringmark::sweep {

struct CheckedSweep {
  Sweep sweep;
  Plan plan;
  std::string text;
};

/// Throws BadUsage with every problem. `name` is where the text is from: for messages, and files beside it.
CheckedSweep check_sweep(const std::string& text, const std::string& name);
CheckedSweep read_and_check(const std::string& path);

/// Throws BadUsage if the sweep can be run but not tuned.
void check_tuning(const CheckedSweep& checked, const std::string& path);

/// Throws BadUsage if it cannot be read.
std::string content_of(const std::string& path);

}  // namespace ringmark::sweep
