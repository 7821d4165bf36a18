// NCCL among the transports: whether it can be used, how it is put together, and what its log proves of a row.
#pragma once

#include <memory>
#include <string>

#include "bench/harness/transports.hpp"

namespace ringmark {

/// Throws BadUsage for variables of NCCL that it does not know or would change, Unusable if there is no library or no
/// driver. Asks neither anything: a process that forks may call it.
void check_nccl(const RunOptions& options);

/// Empty if there is a GPU. Starts the driver, which a process that is to fork ranks must not.
std::string why_no_gpu();
/// For --list: the library, and the GPUs. Starts the driver; never throws.
std::string nccl_listing(const NcclOptions& options);

/// All ranks call it. The equipment's way out becomes NCCL's.
std::unique_ptr<Communicator> make_nccl_communicator(Equipment& equipment, const RunOptions& options);

/// All ranks call it once a row was measured: the network that NCCL's log names, settings that had no effect, ranks
/// that share a GPU or have no other.
void tell_of_nccl(const Equipment& equipment, Record& record);

}  // namespace ringmark
