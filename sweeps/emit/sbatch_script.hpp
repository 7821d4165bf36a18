// A sweep as a Slurm batch script.
#pragma once

#include <optional>
#include <string>

#include "sweeps/file/checked_sweep.hpp"

namespace ringmark::sweep {

struct SbatchOptions {
  std::string results;                  ///< the folder, on a file system that all nodes see
  std::string time_limit = "01:00:00";  ///< of one job, in sbatch's format
  std::optional<int> gpus_per_node;     ///< to request; 0 for none; by default as many as the sweep uses
};

/// The script runs the sweep with `overrides` on as many nodes as it needs. Two minutes before its time limit, or
/// earlier if the sweep's grace is long, it stops the sweep and requeues itself; the next job resumes. A job in which
/// no launch finished is not requeued. Throws BadUsage for a time limit that sbatch would reject, or that leaves no
/// time to measure, and for a launcher that cannot start ranks on the other nodes of a job.
std::string sbatch_script(const CheckedSweep& checked, const std::string& sweep_file, const Overrides& overrides,
                          const SbatchOptions& options);

}  // namespace ringmark::sweep
