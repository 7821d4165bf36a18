// A step of a tuning as a sweep in a folder of its own, which goes on where it was interrupted.
#pragma once

#include <string>

#include "sweeps/run/sweep_run.hpp"
#include "sweeps/training/budget.hpp"

namespace ringmark::sweep {

struct Stage {
  CheckedSweep checked;
  Folder folder;
  bool ended_by_budget = false;

  std::size_t launches() const { return folder.journal().done.size(); }
  /// What a search found the best so far; the default point if nothing worked.
  std::size_t best() const;
};

/// Begins it, or goes on with it: a sweep that was begun stays as it was. `command` is "run" or "tune".
Stage run_stage(const std::string& path, const std::string& command, const Sweep& sweep, Budget& budget);

/// Seconds of all launches of sweeps in a folder's folders.
double seconds_of_stages(const std::string& folder);

}  // namespace ringmark::sweep
