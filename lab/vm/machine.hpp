// A virtual machine that runs Debian's kernel on this machine's files. It gives hosts Soft-RoCE devices if the
// machine's own kernel has none. It is usually emulated, so use it for correctness, faults and ratios, never for
// absolute speed.
#pragma once

#include "lab/options.hpp"

namespace ringmark::lab {

/// Boots, runs the command, forwards its output, and returns its exit status, or 124 after a timeout. Nothing is left
/// running, however this process ends. Throws Unusable if something is missing.
int run_in_vm(const VmOptions& options);

}  // namespace ringmark::lab
