// A sweep as the text of its file, so that every step of a tuning leaves a sweep that other commands can read.
#pragma once

#include <string>

#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// JSON, which is a subset of YAML. It sets no objective: the time of a step, or of the largest size, counts.
std::string text_of(const Sweep& sweep);

}  // namespace ringmark::sweep
