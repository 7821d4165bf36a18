// A real torchrun, where there is one.
#pragma once

#include <string>

#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

/// Why there is none; empty if there is.
inline std::string why_no_torchrun() {
  if (run("command -v torchrun").status != 0) return "there is no torchrun (PyTorch by pip)";
  // As that of PyTorch 1.13 on Python 3.11.
  return run("torchrun --no_python --standalone --nproc_per_node 2 true").status == 0 ? ""
                                                                                      : "torchrun itself fails here";
}

}  // namespace ringmark::testing_support
