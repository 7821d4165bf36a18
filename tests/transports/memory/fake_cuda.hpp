// A libcuda of its own, whose device memory no instruction can reach at its address: touching it ends the test. Only
// the fake's copies, and an adapter that got its dma-buf or may peer into it, see the bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "transports/memory/cuda/driver.hpp"

namespace ringmark::testing_support {

struct FakeCudaFaults {
  int gpus = 2;
  std::set<std::string> failing_calls;  ///< e.g. "cuInit"
  std::size_t memory_bytes = 1 << 30;   ///< of all GPUs together
  bool exports_dma_bufs = true;
  int writes_ordering = 0;  ///< as CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING
};

/// One at a time: libcuda's functions have no argument that could tell several apart.
class FakeCuda {
 public:
  explicit FakeCuda(FakeCudaFaults faults = {});
  ~FakeCuda();
  FakeCuda(const FakeCuda&) = delete;
  FakeCuda& operator=(const FakeCuda&) = delete;

  const CudaDriver& driver() const { return driver_; }
  /// Where the bytes of an address really are; the address itself if it is not on the device.
  std::byte* reach(const void* address);
  /// Whether a descriptor is the dma-buf of the memory at an address.
  bool is_dma_buf_of(int fd, const void* address);
  std::size_t allocations() const { return blocks_.size(); }
  int contexts() const { return contexts_; }
  int flushes() const { return flushes_; }

 private:
  friend struct FakeCudaCalls;
  struct Block {
    std::size_t bytes;
    std::byte* window;  ///< the same memory, where it can be reached
    int fd;
  };
  bool fails(const char* call) const { return faults_.failing_calls.contains(call); }
  /// The block that an address is in, or end.
  std::map<std::uint64_t, Block>::iterator find(std::uint64_t address);

  FakeCudaFaults faults_;
  CudaApi api_{};
  CudaDriver driver_;
  std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;  ///< by device address
  std::size_t used_bytes_ = 0;
  int contexts_ = 0;
  std::atomic<int> flushes_ = 0;
};

}  // namespace ringmark::testing_support
