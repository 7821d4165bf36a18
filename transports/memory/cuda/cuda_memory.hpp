// GPU memory, through the driver's primary context, which NCCL and the CUDA runtime share.
#pragma once

#include <string>

#include "transports/memory/cuda/driver.hpp"
#include "transports/memory/memory.hpp"

namespace ringmark {

/// Use only in the thread that created it, in a process that has not forked since.
class CudaMemory final : public Memory {
 public:
  /// Memory of GPU `local_rank` modulo the number of this process's GPUs. Throws Unusable without a library, driver or
  /// GPU.
  CudaMemory(const CudaDriver& driver, int local_rank);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  MemoryKind kind() const override { return MemoryKind::cuda; }
  std::string describe() const override;
  std::optional<int> numa_node() const override;
  const CudaApi& api() const { return api_; }
  /// "0000:17:00.0"; empty if the driver does not report it.
  std::string pci_bus_id() const;
  int multiprocessors() const;
  std::byte* allocate(std::size_t bytes) override;
  void free(std::byte* begin) noexcept override;
  void copy(void* to, const void* from, std::size_t bytes) const override;
  void settle() const override;
  std::optional<FileDescriptor> export_dma_buf(std::span<std::byte> pages) const override;

 private:
  void require(cuda::Result error, std::string_view what) const;

  const CudaDriver& driver_;
  const CudaApi& api_;
  int number_ = 0;
  cuda::Device device_{};
  std::string name_;
  bool must_flush_ = false;
};

}  // namespace ringmark
