// The wiring: which transports this binary has, whether they can be used here, and how each is put together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/control.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/pinning.hpp"
#include "transports/bootstrap.hpp"
#include "transports/communicator.hpp"
#include "transports/fabric/tcp/endpoint.hpp"
#include "transports/fabric/verbs/device.hpp"
#include "transports/mpi/mpi_library.hpp"
#include "transports/nccl/nccl_runtime.hpp"
#include "transports/schedules/cost.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// What a rank needs whatever it measures.
struct Equipment {
  std::string transport;
  Crowd crowd;
  std::shared_ptr<TcpEndpoint> endpoint;
  std::unique_ptr<Control> control;
  std::shared_ptr<Memory> memory{std::shared_ptr<void>{}, &host_memory()};  ///< where buffers lie
  std::shared_ptr<VerbsDevice> verbs;                                       ///< null but with that transport
  int path_mtu_bytes = 0;                                                   ///< of verbs: the smallest of all ranks'
  WayOut way_out;
  Places places;
  std::shared_ptr<NcclRuntime> nccl;  ///< null but with that transport
  bool time_sliced = false;           ///< ranks share a GPU
  std::string ignored;                ///< a setting that has no effect here, in words
  std::shared_ptr<Seat> seat;         ///< for short vectors; may be null
  std::ptrdiff_t seated_ranks = 0;    ///< that have one
  std::optional<LinkCost> link;       ///< that our schedules go by
  bool link_is_measured = false;      ///< rather than given
  std::size_t least_slice_bytes = 0;  ///< into which our schedules cut chunks that could stay whole
};

/// The words that --list prints, a line for each transport. `mpi` is what started this process, empty for nothing.
std::string transport_listing(const RunOptions& options, std::string_view mpi);

/// Throws BadUsage or Unusable if the transport cannot be used on this machine as the options want it.
void require_usable(const RunOptions& options, std::string_view mpi);

/// Of verbs: "mlx5_0:1, InfiniBand, GID 0 fe80::1, MTU 4096".
std::string describe_device(const Equipment& equipment);

Equipment make_equipment(Bootstrap& bootstrap, const RunOptions& options);

/// Of ranks on the hosts of these names, rank by rank.
Topology topology_of(const std::vector<std::string>& hosts);

/// By the transport's option `crossover`; nothing if the link is to be measured.
std::optional<LinkCost> given_link(const RunOptions& options);

/// Runs body; if it fails by itself, rather than by the loss of another rank, tells all ranks before passing that on.
int run_and_tell(const Equipment& equipment, const std::function<int()>& body);

/// `library` is null without MPI; `algorithm` is a schedule's name or "auto". NCCL tells where its bytes leave only
/// once it has started: the equipment learns of it here.
std::unique_ptr<Communicator> make_communicator(Equipment& equipment, const std::shared_ptr<MpiLibrary>& library,
                                                const RunOptions& options, const std::string& algorithm);
/// For point-to-point measurements.
std::unique_ptr<Fabric> make_fabric(const Equipment& equipment, const RunOptions& options);

/// Bytes that this rank sends through its network interface in one operation, at the least: exactly what the schedule
/// says where one of ours runs.
double needed_wire_bytes(const Equipment& equipment, Communicator& communicator, const Operation& operation);

}  // namespace ringmark
