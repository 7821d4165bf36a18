#include "transports/bootstrap/launcher_variables.hpp"

#include <cstdlib>
#include <initializer_list>

namespace ringmark {
namespace {

std::optional<int> first_number_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return std::nullopt;
}

}  // namespace

int launched_rank() {
  return first_number_of(
             {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX"})
      .value_or(0);
}

std::optional<int> launched_ranks() {
  // Slurm's PMIx has no variable of its own for this.
  return first_number_of({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "WORLD_SIZE", "SLURM_STEP_NUM_TASKS"});
}

std::optional<int> launched_mpi_ranks() {
  // Open MPI's mpirun may run inside a task that Slurm started with PMI.
  return first_number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
}

}  // namespace ringmark
