#include "transports/bootstrap/launcher_variables.hpp"

#include <cstdlib>

namespace ringmark {

int launched_rank() {
  for (const char* name :
       {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

std::optional<int> launched_ranks() {
  // Slurm's PMIx has no variable of its own for it.
  for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return std::nullopt;
}

}  // namespace ringmark
