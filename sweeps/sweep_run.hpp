// One run of a sweep: a process starts the launches that the sweep's folder lacks, and shows the answer.
#pragma once

#include "sweeps/checked_sweep.hpp"
#include "sweeps/folder.hpp"
#include "sweeps/nodes.hpp"

namespace ringmark::sweep {

/// True if no launch is left to run.
bool is_complete(const CheckedSweep& checked, const Folder& folder);

/// Runs the launches that the folder's command ("run" or "tune") still lacks, if any, and shows the answer. The
/// manifest gets an entry for every call. Returns an exit status; throws CannotGoOn, Interrupted or std::system_error.
int run_sweep(const CheckedSweep& checked, Folder& folder, Nodes* nodes = nullptr);

}  // namespace ringmark::sweep
