// The wiring: which transports this binary has, whether they can be used here, and how each is put together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/flags/options.hpp"
#include "bench/harness/equipment.hpp"
#include "transports/communicator.hpp"
#include "transports/fabric/fabric.hpp"
#include "transports/mpi/mpi_library.hpp"
#include "transports/schedules/cost.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// The words that --list prints, a line for each transport. `mpi` is what started this process, empty for nothing.
std::string transport_listing(const RunOptions& options, std::string_view mpi);

/// Throws BadUsage or Unusable if the transport cannot be used on this machine as the options want it.
void require_usable(const RunOptions& options, std::string_view mpi);

/// Of ranks on the hosts of these names, rank by rank.
Topology topology_of(const std::vector<std::string>& hosts);

/// By the transport's option `crossover`; nothing if the link is to be measured.
std::optional<LinkCost> given_link(const RunOptions& options);

/// `library` is null without MPI; `algorithm` is a schedule's name or "auto". NCCL tells where its bytes leave only
/// once it has started: the equipment learns of it here.
std::unique_ptr<Communicator> make_communicator(Equipment& equipment, const std::shared_ptr<MpiLibrary>& library,
                                                const RunOptions& options, const std::string& algorithm,
                                                bool is_preference = false);
/// For point-to-point measurements.
std::unique_ptr<Fabric> make_fabric(const Equipment& equipment, const RunOptions& options);

/// Bytes that this rank sends through its network interface in one operation, at the least: exactly what the schedule
/// says where one of ours runs.
double needed_wire_bytes(const Equipment& equipment, Communicator& communicator, const Operation& operation);

}  // namespace ringmark
