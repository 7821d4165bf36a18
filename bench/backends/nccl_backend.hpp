// The NCCL backend: checks whether NCCL can be used, creates its communicators, and judges rows by its log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/backends/backend.hpp"
#include "transports/nccl/nccl_runtime.hpp"

namespace ringmark {

class NcclBackend final : public Backend {
 public:
  /// Throws BadUsage for NCCL variables that NCCL does not know or would change, Unusable without a library or driver.
  void check(const RunOptions& options, std::string_view mpi) const override;
  std::string why_no_device() const override;
  /// The library, and the GPUs. Never throws.
  std::string listing(const RunOptions& options) const override;
  void open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) override;
  /// Switches the way out to the one that NCCL's log names.
  std::unique_ptr<Communicator> make_communicator(const RunOptions& options, const RankResources& resources,
                                                  const std::string& algorithm, bool is_preference) override;
  Memory& memory() const override { return runtime_->memory(); }
  const CudaMemory* gpu() const override { return &runtime_->gpu(); }
  bool rotates_buffers() const override { return !runtime_->options().graph; }  // a graph is tied to its buffers
  std::map<std::string, std::string> library_versions(const RankResources& resources) const override;
  int nccl_version() const override { return runtime_->library().version; }
  void describe(std::map<std::string, std::string>& facts, const RankResources& resources) const override;
  bool has_work(const Operation& operation, bool in_place, int ranks) const override;
  std::string place_of(int rank, const RankResources& resources) const override;
  void describe(Record& record) const override;
  /// Adds the network that the log names, settings that had no effect, and notes on ranks that share a GPU or run
  /// alone.
  void judge(Record& record, const RankResources& resources) override;

 private:
  std::shared_ptr<NcclRuntime> runtime_;
  std::vector<std::string> gpus_;  ///< description of each rank's GPU
  bool time_sliced_ = false;       ///< ranks share a GPU
};

}  // namespace ringmark
