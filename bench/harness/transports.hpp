// Transport queries that work the same way for every transport.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/rank_resources.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// The output of --list, one line per transport. `mpi` is the MPI that started this process, or empty.
std::string transport_listing(const RunOptions& options, std::string_view mpi);

/// The topology of ranks on these hosts, given rank by rank.
Topology topology_of(const std::vector<std::string>& hosts);

/// The minimum number of bytes that this rank sends through its network interface in one operation; exact if the
/// operation runs one of our schedules. `members` are the communicator's ranks by their numbers in the run; empty for
/// all.
double needed_wire_bytes(const RankResources& resources, Communicator& communicator, const Operation& operation,
                         const std::vector<int>& members = {});

}  // namespace ringmark
