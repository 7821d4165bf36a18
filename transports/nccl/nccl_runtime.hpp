// NCCL and a GPU in this process, which all its communicators share.
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

/// Used by the thread that made it.
class NcclRuntime {
 public:
  /// Opens the library, and the GPU of the rank that is `local_rank`-th on its host. With share_gpu ranks pretend to be
  /// hosts (NCCL_HOSTID), since NCCL refuses two ranks of a host on one GPU. Throws Unusable, BadUsage.
  NcclRuntime(const CudaDriver& driver, const NcclOptions& options, int rank, int local_rank);

  const NcclApi& api() const { return *library_.api; }
  const CudaApi& cuda() const { return gpu_->api(); }
  const NcclLibrary& library() const { return library_; }
  const NcclOptions& options() const { return options_; }
  /// Buffers as the options want them.
  Memory& memory() { return memory_ ? *memory_ : *gpu_; }
  const CudaMemory& gpu() const { return *gpu_; }
  NcclLog& log() { return log_; }
  /// Bounds calls that may not return.
  Watchdog& watchdog() { return watchdog_; }
  /// What the log says that it had not said before.
  NcclFindings hear();
  /// All that was heard since the start.
  const NcclFindings& heard() const { return heard_; }

  /// What aborts a communicator, under a name of its own, until that is gone.
  void add(const void* communicator, std::function<void()> abort) { aborts_[communicator] = std::move(abort); }
  void remove(const void* communicator) { aborts_.erase(communicator); }
  /// Kernels of any of them may spin for a rank that is gone, and hold what is freed next.
  void abort_all() noexcept;

  /// NCCL's words for a result, with what it said last; `comm` may be null.
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
