// The work of a transport outside of the measured calls. Each transport has one Backend; no other code of bench asks
// which transport it is.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/flags/run_options.hpp"
#include "bench/harness/way_out.hpp"
#include "results/record.hpp"
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

  // Before ranks are started. These start no driver, which a process that forks must not.

  /// Throws BadUsage or Unusable if this machine cannot do what the options ask for. `mpi` is the MPI that started this
  /// process; empty for none.
  virtual void check(const RunOptions& options, std::string_view mpi) const = 0;
  /// The link that the options give for our schedules; nothing if it is to be measured, or a library decides.
  virtual std::optional<LinkCost> given_link(const RunOptions& /*options*/) const { return std::nullopt; }

  // For --list, in a process that starts no ranks.

  /// Empty if the device can be used that check() found a driver for.
  virtual std::string why_no_device() const { return ""; }
  /// Lines about devices and libraries.
  virtual std::string listing(const RunOptions& /*options*/) const { return ""; }

  // While ranks prepare. All ranks call each; a problem of one is thrown on all.

  /// Devices, cores and the way out. `resources` has its hosts, cores and endpoint by then.
  virtual void open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) = 0;
  /// `algorithm` is a schedule's name or "auto". With `is_preference` a collective that has not the algorithm takes
  /// "auto". It may change the way out.
  virtual std::unique_ptr<Communicator> make_communicator(const RunOptions& options, const RankResources& resources,
                                                          const std::string& algorithm, bool is_preference) = 0;
  /// For point-to-point measurements. Throws Unusable where a library moves the bytes.
  virtual std::unique_ptr<Fabric> make_fabric(const RunOptions& options, const RankResources& resources) const;

  // The calls below need an open backend.

  virtual Memory& memory() const { return host_memory(); }
  const WayOut& way_out() const { return way_out_; }
  /// The link that our schedules go by; nothing where a library decides.
  virtual std::optional<LinkCost> link() const { return std::nullopt; }
  /// The GPU on which ranks compute and operations are queued; null where neither is so.
  virtual const CudaMemory* gpu() const { return nullptr; }
  /// True if batches go round in the buffers' memory, as nccl-tests' do.
  virtual bool rotates_buffers() const { return false; }
  /// False if the library does nothing for the operation: its rows then have neither bandwidths nor a device's time.
  virtual bool has_work(const Operation& /*operation*/, bool /*in_place*/, int /*ranks*/) const { return true; }
  /// The versions of the libraries that move the bytes, as this process has loaded them, by their keys in a row's
  /// settings: "nccl_version". An empty text stands for an unknown one.
  virtual std::map<std::string, std::string> library_versions(const RankResources& /*resources*/) const { return {}; }
  /// NCCL's number for its version; 0 where no NCCL moves the bytes.
  virtual int nccl_version() const { return 0; }
  /// Adds to the header of a run.
  virtual void describe(std::map<std::string, std::string>& facts, const RankResources& resources) const;
  /// Where a rank is: its address, port or GPU.
  virtual std::string place_of(int rank, const RankResources& resources) const;
  /// Fills in the columns that are the same in every row.
  virtual void describe(Record& record) const;
  /// Writes what auto has settled on since the last call to the file of --algorithm auto:FILE, on rank 0.
  virtual void keep_choices(const RunOptions& /*options*/) {}
  /// All ranks call it with a row that was measured and judged by its results and its path. Adds the facts that only
  /// the transport knows.
  virtual void judge(Record& record, const RankResources& resources);

 protected:
  WayOut way_out_;
  std::string ignored_;  ///< a setting that has no effect here, in words
};

/// The one list of them.
std::unique_ptr<Backend> make_backend(Transport transport);

/// Runs body on every rank. If it fails on some, all throw the first rank's problem. A rank that fails still takes part
/// in the exchange, so that none waits.
void together(Bootstrap& bootstrap, const RankResources& resources, const std::function<void()>& body);

/// The number of a rank among those of its host.
int local_rank_of(int rank, const std::vector<std::string>& hosts);

/// The way out of transports over the kernel's sockets. `ignored` gets the words for a tcp.interface that has no
/// effect.
WayOut way_out_over_sockets(const RankResources& resources, std::string& ignored);

}  // namespace ringmark
