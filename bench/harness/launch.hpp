// Turns the started process into ranks that can reach each other.
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

/// One rank's work; returns its exit status. `library` is null if MPI did not start the rank.
using RankBody = std::function<int(Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library)>;

/// Runs body in every rank: in this process under a launcher or with --rendezvous, in forked processes with only
/// --ranks. Exceptions become messages and exit statuses, the same on all ranks; if all ranks fail alike, only rank 0
/// reports it.
int launch(const RunOptions& options, const RankBody& body);

/// This process's rank, before the ranks meet; 0 if unknown.
int own_rank(const RunOptions& options);

/// True if this process was not started by anything that starts several ranks, or if its variables cannot be parsed.
bool launcher_is_absent();

/// Prints to standard error. Ranks other than 0 wait a moment first: if rank 0 prints the same and exits, the launcher
/// ends this process before it repeats the message.
void complain(const std::string& text);

}  // namespace ringmark
