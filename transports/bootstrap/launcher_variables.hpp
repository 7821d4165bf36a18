// The rank and the number of ranks in the variables of all launchers, before the ranks meet.
#pragma once

#include <optional>

namespace ringmark {

/// This process's rank as the variables of its launcher say (MPI, torchrun, Slurm, an Indexed Job); 0 without one.
int launched_rank();
/// The number of ranks that the launcher has started, if its variables tell.
std::optional<int> launched_ranks();
/// The number that the innermost launcher of MPI ranks has started, if its variables tell. Variables of torchrun and of
/// jobs, which may be set as well, do not count.
std::optional<int> launched_mpi_ranks();

}  // namespace ringmark
