// NCCL and a GPU in this process, shared by all its communicators.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/system/watchdog.hpp"
#include "transports/memory/cuda/cuda_memory.hpp"
#include "transports/nccl/findings.hpp"
#include "transports/nccl/library.hpp"
#include "transports/nccl/nccl_log.hpp"
#include "transports/nccl/options.hpp"

namespace ringmark {

/// Use only in the thread that created it.
class NcclRuntime {
 public:
  /// Opens the library and the GPU for the host's `local_rank`-th rank. With share_gpu each rank poses as a separate
  /// host (NCCL_HOSTID), since NCCL refuses two ranks of one host on one GPU. Throws Unusable, BadUsage.
  NcclRuntime(const CudaDriver& driver, const NcclOptions& options, int rank, int local_rank);

  const NcclApi& api() const { return *library_.api; }
  const CudaApi& cuda() const { return gpu_->api(); }
  const NcclLibrary& library() const { return library_; }
  const NcclOptions& options() const { return options_; }
  /// The memory for buffers, as chosen by the options.
  Memory& memory() { return memory_ ? *memory_ : *gpu_; }
  const CudaMemory& gpu() const { return *gpu_; }
  NcclLog& log() { return log_; }
  /// Bounds calls that may not return.
  Watchdog& watchdog() { return watchdog_; }
  /// Findings from the log lines since the last call.
  NcclFindings hear();
  /// All findings since the start.
  const NcclFindings& heard() const { return heard_; }

  /// Registers a function that aborts a communicator; the address is only a key.
  void add(const void* communicator, std::function<void()> abort) { aborts_[communicator] = std::move(abort); }
  void remove(const void* communicator) { aborts_.erase(communicator); }
  /// Aborts every communicator: their kernels may spin waiting for a lost rank, and use memory that is about to be
  /// freed.
  void abort_all() noexcept;

  /// NCCL's last error message; empty if there is none. `comm` may be null.
  std::string last_error(nccl::Comm comm) const;
  /// NCCL's text for a result, with its last error message; `comm` may be null.
  std::string words(nccl::Result result, nccl::Comm comm) const;

 private:
  NcclOptions options_;
  NcclLibrary library_;
  std::unique_ptr<CudaMemory> gpu_;
  std::unique_ptr<Memory> memory_;
  NcclLog log_;
  Watchdog watchdog_;
  NcclFindings heard_;
  std::map<const void*, std::function<void()>> aborts_;
};

}  // namespace ringmark
