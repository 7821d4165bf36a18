// A step of a tuning as a sweep in a folder of its own, which continues where it was interrupted.
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
  /// The best point that a search has found so far; the default point if nothing worked.
  std::size_t best() const;
};

/// Begins or resumes the sweep; one that was already begun is not changed. `command` is "run" or "tune".
Stage run_stage(const std::string& path, const std::string& command, const Sweep& sweep, Budget& budget);

/// Total seconds of all launches of the sweeps in a folder's subfolders.
double seconds_of_stages(const std::string& folder);

}  // namespace ringmark::sweep
