// Questions about transports that are the same for each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/rank_resources.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// The words that --list prints, a line for each transport. `mpi` is the MPI that started this process, empty for none.
std::string transport_listing(const RunOptions& options, std::string_view mpi);

/// The topology of ranks on these hosts, named rank by rank.
Topology topology_of(const std::vector<std::string>& hosts);

/// Bytes that this rank sends through its network interface in one operation, at the least: exactly what the schedule
/// says where one of ours runs. `members` are the communicator's ranks by their numbers in the run; empty for all.
double needed_wire_bytes(const RankResources& resources, Communicator& communicator, const Operation& operation,
                         const std::vector<int>& members = {});

}  // namespace ringmark
