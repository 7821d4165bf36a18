// Works on a sweep's folder: runs the launches that are missing and shows the answer.
#pragma once

#include "sweeps/checked_sweep.hpp"
#include "sweeps/folder.hpp"

namespace ringmark::sweep {

/// Runs the launches that the folder's command ("run" or "tune") still lacks, if any, and shows the answer. The
/// manifest gets a line for every call. Returns an exit status; throws CannotGoOn, Interrupted or std::system_error.
int work_on(const CheckedSweep& checked, Folder& folder);

}  // namespace ringmark::sweep
