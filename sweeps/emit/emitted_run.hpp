// The command with which a batch script or a manifest runs a sweep.
#pragma once

#include <string>
#include <vector>

#include "sweeps/file/overrides.hpp"

namespace ringmark::sweep {

/// `PROGRAM run SWEEP_FILE` with the overrides, and `launcher` if they name none.
std::vector<std::string> run_words(const std::string& program, const std::string& sweep_file,
                                   const Overrides& overrides, const std::string& launcher);

}  // namespace ringmark::sweep
