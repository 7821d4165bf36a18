// The rank and the number of ranks according to the launchers' variables, before the ranks meet.
#pragma once

#include <optional>

namespace ringmark {

/// This process's rank according to its launcher's variables (MPI, torchrun, Slurm, an Indexed Job); 0 without a
/// launcher.
int launched_rank();
/// The number of ranks that the launcher has started, if its variables contain it.
std::optional<int> launched_ranks();
/// The number of ranks that the innermost MPI launcher has started, if its variables contain it. Variables of torchrun
/// and of jobs, which may also be set, are ignored.
std::optional<int> launched_mpi_ranks();

}  // namespace ringmark
