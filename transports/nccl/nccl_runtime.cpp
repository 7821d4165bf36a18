#include "transports/nccl/nccl_runtime.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "transports/memory/cuda/stream.hpp"

namespace ringmark {
namespace {

NcclLibrary usable(NcclLibrary library, const NcclOptions& options) {
  if (!library.api) throw Unusable(library.why_not);
  const bool has_memory = library.api->mem_alloc != nullptr && library.api->mem_free != nullptr;
  const auto need = [&](bool has, const char* buffer, const char* since) {
    if (!has)
      throw Unusable(fmt::format("--set nccl.buffer={}: NCCL {} does not support it; use {} or later", buffer,
                                 library.version_text(), since));
  };
  switch (options.buffer) {
    case NcclBuffer::plain:
      break;
    case NcclBuffer::nccl:
      need(has_memory, "nccl", "2.19");
      break;
    case NcclBuffer::registered:
      need(has_memory && library.api->comm_register != nullptr, "registered", "2.19");
      break;
    case NcclBuffer::window:
      need(has_memory && library.api->window_register != nullptr, "window", "2.27");
      break;
  }
  return library;
}

/// Memory from ncclMemAlloc. Everything except allocation works as for other GPU memory.
class NcclMemory final : public Memory {
 public:
  NcclMemory(const NcclApi& api, CudaMemory& gpu) : api_(api), gpu_(gpu) {}

  MemoryKind kind() const override { return MemoryKind::cuda; }
  std::string describe() const override { return gpu_.describe() + ", ncclMemAlloc"; }
  std::optional<int> numa_node() const override { return gpu_.numa_node(); }
  std::byte* allocate(std::size_t bytes) override {
    constexpr std::size_t page = 4096;
    const auto whole_pages = (bytes + page) / page * page;
    void* begin = nullptr;
    const auto result = api_.mem_alloc(&begin, whole_pages);
    if (result != nccl::success)
      throw Unusable(fmt::format("{} does not have {} bytes for ncclMemAlloc ({}); give a smaller --max-bytes",
                                 gpu_.describe(), whole_pages, api_.get_error_string(result)));
    require_cuda(gpu_.api(), gpu_.api().mem_set(reinterpret_cast<cuda::DevicePointer>(begin), 0, whole_pages),
                 "cuMemsetD8");
    require_cuda(gpu_.api(), gpu_.api().context_synchronize(), "cuCtxSynchronize");
    return static_cast<std::byte*>(begin);
  }
  void free(std::byte* begin) noexcept override { api_.mem_free(begin); }
  /// A copy from pageable memory may return before it is complete, and NCCL's stream does not wait for it.
  void copy(void* to, const void* from, std::size_t bytes) const override {
    gpu_.copy(to, from, bytes);
    gpu_.api().context_synchronize();
  }
  void settle() const override { gpu_.settle(); }
  std::optional<FileDescriptor> export_dma_buf(std::span<std::byte>) const override { return std::nullopt; }

 private:
  const NcclApi& api_;
  CudaMemory& gpu_;
};

std::unique_ptr<CudaMemory> open_gpu(const CudaDriver& driver, const NcclOptions& options, int local_rank) {
  auto gpu = std::make_unique<CudaMemory>(driver, options.device.value_or(local_rank));
  int count = 0;
  if (options.device && gpu->api().device_get_count(&count) == 0 && *options.device >= count)
    throw BadUsage(fmt::format("--set nccl.device={}: there are {} GPUs, numbered from 0", *options.device, count));
  return gpu;
}

NcclLog log_of_a_host(const NcclOptions& options, int rank, const NcclApi& api) {
  constexpr int keep_what_is_set = 0;
  if (options.share_gpu) ::setenv("NCCL_HOSTID", fmt::format("ringmark-{}", rank).c_str(), keep_what_is_set);
  return NcclLog(api);
}

}  // namespace

NcclRuntime::NcclRuntime(const CudaDriver& driver, const NcclOptions& options, int rank, int local_rank)
    : options_(options),
      library_(usable(open_nccl(options.library), options)),
      gpu_(open_gpu(driver, options, local_rank)),
      log_(log_of_a_host(options, rank, api())),
      watchdog_(fmt::format("rank {}", rank)) {
  if (const auto reason = why_no_streams(cuda()); !reason.empty()) throw Unusable(reason);
  if (options.buffer != NcclBuffer::plain) memory_ = std::make_unique<NcclMemory>(api(), *gpu_);
}

NcclFindings NcclRuntime::hear() {
  const auto text = log_.take();
  NcclFindings said;
  said.add(text);
  heard_.add(text);
  return said;
}

void NcclRuntime::abort_all() noexcept {
  for (const auto& [communicator, abort] : aborts_) abort();
}

std::string NcclRuntime::last_error(nccl::Comm comm) const {
  const char* last = api().get_last_error != nullptr ? api().get_last_error(comm) : nullptr;
  return last == nullptr ? "" : last;
}

std::string NcclRuntime::words(nccl::Result result, nccl::Comm comm) const {
  std::string text = api().get_error_string(result);
  if (const auto last = last_error(comm); !last.empty()) text += fmt::format(" ({})", last);
  return text;
}

}  // namespace ringmark
