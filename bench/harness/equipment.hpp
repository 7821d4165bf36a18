// What a rank has in hand before anything is measured: connections to the others, the device, where its bytes leave.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/flags/options.hpp"
#include "bench/harness/control.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/pinning.hpp"
#include "transports/bootstrap.hpp"
#include "transports/fabric/tcp/endpoint.hpp"
#include "transports/fabric/verbs/device.hpp"
#include "transports/nccl/nccl_runtime.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// Numbers of TcpFabrics over one endpoint: what agrees and what is measured never share a connection.
constexpr std::uint64_t control_connections = 1, measured_connections = 2;

/// What a rank needs whatever it measures.
struct Equipment {
  Transport transport = Transport::tcp;
  CoreShare core_share;
  std::shared_ptr<TcpEndpoint> endpoint;
  std::unique_ptr<Control> control;
  std::shared_ptr<Memory> memory{std::shared_ptr<void>{}, &host_memory()};  ///< where buffers lie
  std::shared_ptr<VerbsDevice> verbs;                                       ///< null but with that transport
  int path_mtu_bytes = 0;                                                   ///< of verbs: the smallest of all ranks'
  WayOut way_out;
  Places places;
  std::shared_ptr<NcclRuntime> nccl;        ///< null but with that transport
  std::vector<std::string> gpus;            ///< of NCCL: each rank's, in words
  bool time_sliced = false;                 ///< ranks share a GPU
  std::string ignored;                      ///< a setting that has no effect here, in words
  std::shared_ptr<StickyCore> sticky_core;  ///< for short vectors; may be null
  std::ptrdiff_t sticky_ranks = 0;          ///< that have one
  std::optional<LinkCost> link;             ///< that our schedules go by
  bool link_is_measured = false;            ///< rather than given
  std::size_t least_slice_bytes = 0;        ///< into which our schedules cut chunks that could stay whole
};

/// Every rank calls it. A device that one cannot use fails all, in the words of the first.
Equipment make_equipment(Bootstrap& bootstrap, const RunOptions& options);

/// Of verbs: "mlx5_0:1, InfiniBand, GID 0 fe80::1, MTU 4096".
std::string describe_device(const Equipment& equipment);

/// Runs body; if it fails by itself, rather than by the loss of another rank, tells all ranks before passing that on.
int run_and_tell(const Equipment& equipment, const std::function<int()>& body);

}  // namespace ringmark
