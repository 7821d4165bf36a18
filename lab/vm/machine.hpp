// A virtual machine with Debian's kernel on this machine's files: hosts with Soft-RoCE devices where the machine's own
// kernel has none. Emulated as a rule, so good for correctness, faults and ratios, never for absolute speed.
#pragma once

#include "lab/options.hpp"

namespace ringmark::lab {

/// Boots, runs the command with its output passed on, and returns its exit status; 124 if it took too long. Nothing is
/// left running, whatever ends this process. Throws Unavailable if something is missing.
int run_in_vm(const VmOptions& options);

}  // namespace ringmark::lab
