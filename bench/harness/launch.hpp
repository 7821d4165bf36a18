// From the process that was started to ranks that know each other.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/exit_status.hpp"
#include "bench/flags/run_options.hpp"
#include "transports/bootstrap.hpp"
#include "transports/mpi/mpi_library.hpp"

namespace ringmark {

/// One rank's work; returns its exit status. `library` is null where MPI did not start the rank.
using RankBody = std::function<int(Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library)>;

/// Runs body in every rank: in this process under a launcher or with --rendezvous, in forked ones with --ranks alone.
/// Exceptions become messages and exit statuses, the same on all ranks; where all ranks fail alike, rank 0 speaks for
/// them.
int launch(const RunOptions& options, const RankBody& body);

/// This process's rank, before the ranks meet; 0 where nothing tells.
int own_rank(const RunOptions& options);

/// True if nothing that starts several ranks has started this process, or its variables cannot be understood.
bool launcher_is_absent();

/// Prints to standard error, a rank other than 0 a little later: if rank 0 has said the same, the launcher has ended
/// this process by then.
void complain(const std::string& text);

}  // namespace ringmark
