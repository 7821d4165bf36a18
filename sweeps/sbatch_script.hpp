// A sweep as a batch script of Slurm.
#pragma once

#include <string>

#include "sweeps/checked_sweep.hpp"

namespace ringmark::sweep {

struct SbatchOptions {
  std::string results;                  ///< the folder, on a file system that all nodes see
  std::string time_limit = "01:00:00";  ///< of one job, as sbatch takes it
};

/// The script runs the sweep with `overrides` on as many nodes as it needs. Two minutes before its time limit it stops
/// the sweep and puts itself back into the queue; the next job goes on. Throws BadUsage for a time limit that sbatch
/// would not take.
std::string sbatch_script(const CheckedSweep& checked, const std::string& sweep_file, const Overrides& overrides,
                          const SbatchOptions& options);

}  // namespace ringmark::sweep
