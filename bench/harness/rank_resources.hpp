// A rank's resources before anything is measured: its backend, and the connections used for coordination.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/surrounding_lab.hpp"
#include "bench/backends/backend.hpp"
#include "bench/flags/options.hpp"
#include "bench/harness/control.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/pinning.hpp"
#include "transports/bootstrap.hpp"
#include "transports/fabric/tcp/endpoint.hpp"
#include "transports/mpi/mpi_library.hpp"

namespace ringmark {

/// Numbers of the TcpFabrics on one endpoint: Control and the measured operations never share a connection.
constexpr std::uint64_t control_connections = 1, measured_connections = 2, scan_connections = 3;

/// One rank's backend, cores and connections, for every kind of measurement.
struct RankResources {
  CoreShare core_share;
  std::shared_ptr<TcpEndpoint> endpoint;
  std::unique_ptr<Control> control;
  Places places;
  std::optional<Lab> lab;           ///< that the ranks are in
  std::shared_ptr<MpiLibrary> mpi;  ///< null if MPI did not start the ranks
  std::unique_ptr<Backend> backend;
  /// Versions of the libraries that move the bytes, for a row's settings; if ranks differ, all of them: "1.14.39.0,
  /// 1.14.44.0".
  std::map<std::string, std::string> library_versions;
};

/// True if the ranks are in a lab of several hosts but all on the same one, so that they use none of its links.
bool stays_on_one_lab_host(const RankResources& resources);

/// Every rank calls it. If one cannot use its device, all fail with the first rank's problem. `mpi` is null if MPI did
/// not start the ranks.
RankResources make_rank_resources(Bootstrap& bootstrap, const RunOptions& options, std::shared_ptr<MpiLibrary> mpi);

/// All ranks call it. Returns the backend's communicator, and updates the ways out, which creating it may change.
std::unique_ptr<Communicator> make_communicator(RankResources& resources, const RunOptions& options,
                                                const std::string& algorithm, bool is_preference = false);

/// Runs body. If it throws, tells all ranks before rethrowing, unless the cause is the loss of another rank.
int run_and_tell(const RankResources& resources, const std::function<int()>& body);

}  // namespace ringmark
