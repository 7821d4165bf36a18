// This process's place in a run whose ranks meet at a host and port, without MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

struct Rendezvous {
  std::string launcher;  ///< "torchrun", "slurm", "indexed job", or "rendezvous" for the flag
  std::string source;    ///< the variables or flag that define the place, for messages
  std::string host;      ///< where rank 0 listens
  std::uint16_t port = 0;
  int ports = 1;    ///< how many ports, starting at `port`, rank 0 may choose from
  std::string run;  ///< distinguishes this run from others that meet on the same ports
  int rank = 0;
  int ranks = 1;

  bool operator==(const Rendezvous&) const = default;
};

/// The place given by --rendezvous HOST:PORT --rank R --ranks N. Throws BadUsage naming the flag that is wrong or
/// missing.
Rendezvous rendezvous_at(const std::string& address, std::optional<int> rank, std::optional<int> ranks);

/// The place given by the launcher's variables; empty if no launcher has set any:
/// - RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as set by torchrun or by your own script;
/// - SLURM_PROCID and its companions, in a step of several tasks (srun --mpi=none);
/// - JOB_COMPLETION_INDEX of a Kubernetes Indexed Job, whose pods have a headless service; `ranks` is then needed, and
///   `ranks_flag` is the flag that sets it.
/// Throws BadUsage if a variable is missing or not a number.
std::optional<Rendezvous> rendezvous_from_environment(std::optional<int> ranks,
                                                      std::string_view ranks_flag = "--ranks");

/// RINGMARK_TOKEN, or the content of the file named by RINGMARK_TOKEN_FILE without the line end; empty if neither is
/// set. Throws BadUsage if both are set, or if the secret is blank or cannot be read.
std::string shared_secret();

/// Why others may know this secret: its file is readable by all, or it is short. Empty if there is no such reason.
std::string doubt_about_secret(const std::string& secret);

}  // namespace ringmark
