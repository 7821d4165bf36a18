// The work on a sweep's folder, from what is done already to its end.
#pragma once

#include "sweeps/checked_sweep.hpp"
#include "sweeps/folder.hpp"

namespace ringmark::sweep {

/// Launches what the folder's command ("run" or "tune") still lacks and shows the answer; of a complete run the answer
/// alone. The manifest has a line for every sitting. Returns an exit status; throws CannotGoOn, Interrupted or
/// std::system_error.
int work_on(const CheckedSweep& checked, Folder& folder);

}  // namespace ringmark::sweep
