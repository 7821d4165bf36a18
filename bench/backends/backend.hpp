// What bench does differently for each transport, outside the measured calls: set-up, description and the verdict on
// rows. Each transport has one Backend; no other bench code checks which transport it is.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/flags/run_options.hpp"
#include "bench/harness/way_out.hpp"
#include "results/schema/record.hpp"
#include "transports/bootstrap.hpp"
#include "transports/communicator.hpp"
#include "transports/fabric/fabric.hpp"
#include "transports/memory/cuda/cuda_memory.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

struct RankResources;

class Backend {
 public:
  virtual ~Backend() = default;

  // Before ranks are started. These start no driver, because the process is about to fork.

  /// Throws BadUsage or Unusable if this machine cannot do what the options request. `mpi` names the MPI that started
  /// this process, or is empty.
  virtual void check(const RunOptions& options, std::string_view mpi) const = 0;
  /// The link cost that the options set for our schedules; empty if it must be measured, or if a library decides.
  virtual std::optional<LinkCost> given_link(const RunOptions& /*options*/) const { return std::nullopt; }

  // For --list, in a process that does not start ranks.

  /// Empty if the device for which check() found a driver can be used.
  virtual std::string why_no_device() const { return ""; }
  /// Lines about devices and libraries.
  virtual std::string listing(const RunOptions& /*options*/) const { return ""; }

  // While ranks prepare. All ranks call each function; a problem on one rank is thrown on all.

  /// Devices, cores and the way out. `resources` already has its hosts, cores and endpoint.
  virtual void open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) = 0;
  /// `algorithm` is a schedule's name or "auto". With `is_preference`, a collective that lacks the algorithm uses
  /// "auto". May change the way out.
  virtual std::unique_ptr<Communicator> make_communicator(const RunOptions& options, const RankResources& resources,
                                                          const std::string& algorithm, bool is_preference) = 0;
  /// For point-to-point measurements. Throws Unusable if a library moves the bytes.
  virtual std::unique_ptr<Fabric> make_fabric(const RunOptions& options, const RankResources& resources) const;

  // The calls below require an open backend.

  virtual Memory& memory() const { return host_memory(); }
  const WayOut& way_out() const { return way_out_; }
  /// The link cost that our schedules assume; empty if a library decides.
  virtual std::optional<LinkCost> link() const { return std::nullopt; }
  /// The GPU that ranks compute on and operations are queued on; null if there is none.
  virtual const CudaMemory* gpu() const { return nullptr; }
  /// True if batches rotate through the buffers' memory, as in nccl-tests.
  virtual bool rotates_buffers() const { return false; }
  /// False if the library does nothing for the operation; its rows then have no bandwidths and no device time.
  virtual bool has_work(const Operation& /*operation*/, bool /*in_place*/, int /*ranks*/) const { return true; }
  /// The versions of the libraries that move the bytes, as loaded into this process, by their keys in a row's settings:
  /// "nccl_version". Empty text means unknown.
  virtual std::map<std::string, std::string> library_versions(const RankResources& /*resources*/) const { return {}; }
  /// NCCL's own version number; 0 if NCCL is not in use.
  virtual int nccl_version() const { return 0; }
  /// Adds the transport's facts to a run's header.
  virtual void describe(std::map<std::string, std::string>& facts, const RankResources& resources) const;
  /// A rank's location: its address, port or GPU.
  virtual std::string place_of(int rank, const RankResources& resources) const;
  /// Fills in the columns that are identical in every row.
  virtual void describe(Record& record) const;
  /// Appends what auto has settled on since the last call to the file of --algorithm auto:FILE; on rank 0 only.
  virtual void keep_choices(const RunOptions& /*options*/) {}
  /// Adds to the verdict what only the transport knows. All ranks call it with a row whose results and path have been
  /// judged.
  virtual void judge(Record& record, const RankResources& resources);

 protected:
  WayOut way_out_;
  std::string ignored_;  ///< describes a setting that has no effect here
};

/// The only list of backends.
std::unique_ptr<Backend> make_backend(Transport transport);

/// Runs body on every rank. If it fails on some, all throw the first rank's problem. A rank that fails still takes part
/// in the exchange, so that no rank waits for it.
void together(Bootstrap& bootstrap, const RankResources& resources, const std::function<void()>& body);

/// The index of a rank among those of its host.
int local_rank_of(int rank, const std::vector<std::string>& hosts);

/// The way out of transports that use kernel sockets. `ignored` receives a description of a tcp.interface that has no
/// effect.
WayOut way_out_over_sockets(const RankResources& resources, std::string& ignored);

}  // namespace ringmark
