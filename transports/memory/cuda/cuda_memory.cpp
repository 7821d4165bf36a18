#include "transports/memory/cuda/cuda_memory.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "transports/memory/cuda/stream.hpp"

namespace ringmark {
namespace {

const CudaApi& usable(const CudaDriver& driver) {
  if (driver.api == nullptr) throw Unusable(driver.why_not);
  return *driver.api;
}

cuda::DevicePointer address(const void* pointer) { return reinterpret_cast<cuda::DevicePointer>(pointer); }

}  // namespace

CudaMemory::CudaMemory(const CudaDriver& driver, int local_rank) : driver_(driver), api_(usable(driver)) {
  require(api_.init(0), "NVIDIA's driver cannot be used");
  int count = 0;
  require(api_.device_get_count(&count), "counting GPUs failed");
  if (count == 0) throw Unusable("no GPU found (or CUDA_VISIBLE_DEVICES hides all of them)");
  number_ = local_rank % count;
  require(api_.device_get(&device_, number_), "finding the GPU failed");
  std::array<char, 256> text{};
  require(api_.device_get_name(text.data(), static_cast<int>(text.size()), device_), "reading the GPU's name failed");
  name_ = text.data();
  int ordering = 0;
  const bool is_known = api_.device_get_attribute(&ordering, cuda::writes_ordering, device_) == 0;
  must_flush_ = api_.flush_writes != nullptr && (!is_known || ordering < cuda::writes_ordered_for_owner);
  cuda::Context context = nullptr;
  require(api_.primary_context_retain(&context, device_), fmt::format("GPU {} cannot be used", number_));
  const auto error = api_.context_set_current(context);
  if (error != 0) api_.primary_context_release(device_);
  require(error, fmt::format("GPU {} cannot be used", number_));
}

CudaMemory::~CudaMemory() { api_.primary_context_release(device_); }

std::string CudaMemory::describe() const { return fmt::format("cuda, GPU {}, {}", number_, name_); }

std::string CudaMemory::pci_bus_id() const {
  std::array<char, 64> id{};
  return api_.device_get_pci_bus_id(id.data(), static_cast<int>(id.size()), device_) == 0 ? id.data() : "";
}

int CudaMemory::multiprocessors() const {
  int count = 0;
  return api_.device_get_attribute(&count, cuda::multiprocessor_count, device_) == 0 ? count : 1;
}

std::optional<int> CudaMemory::numa_node() const {
  auto folder = pci_bus_id();
  if (folder.empty()) return std::nullopt;
  std::transform(folder.begin(), folder.end(), folder.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ifstream file(driver_.sysfs / "bus/pci/devices" / folder / "numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return std::nullopt;
  return node;
}

std::byte* CudaMemory::allocate(std::size_t bytes) {
  // Smaller allocations share a page with others and could not be exported.
  constexpr std::size_t unit = 2 << 20;
  const std::size_t whole_units = (bytes + unit) / unit * unit;
  cuda::DevicePointer begin = 0;
  const auto error = api_.mem_alloc(&begin, whole_units);
  if (error == cuda::out_of_memory) {
    throw Unusable(
        fmt::format("GPU {} ({}) does not have {} bytes free; give a smaller --max-bytes, or check nvidia-smi", number_,
                    name_, whole_units));
  }
  require(error, fmt::format("allocating {} bytes on GPU {} failed", whole_units, number_));
  auto* block = reinterpret_cast<std::byte*>(begin);
  try {
    // Copies must be complete when the call returns, because adapters read the memory.
    const int on = 1;
    require(api_.pointer_set_attribute(&on, cuda::pointer_sync_memops, begin), "making copies synchronous failed");
    require(api_.mem_set(begin, 0, whole_units), "clearing memory failed");
    require(api_.context_synchronize(), "clearing memory failed");
  } catch (...) {
    free(block);
    throw;
  }
  return block;
}

void CudaMemory::free(std::byte* begin) noexcept { api_.mem_free(address(begin)); }

void CudaMemory::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  const auto error = api_.mem_copy(address(to), address(from), bytes);
  if (error != 0) throw TransportError(fmt::format("copying on GPU {} failed: {}", number_, cuda_words(api_, error)));
}

void CudaMemory::settle() const {
  if (!must_flush_) return;
  const auto error = api_.flush_writes(cuda::flush_current_context, cuda::writes_ordered_for_owner);
  if (error != 0)
    throw TransportError(fmt::format("flushing writes to GPU {} failed: {}", number_, cuda_words(api_, error)));
}

std::optional<FileDescriptor> CudaMemory::export_dma_buf(std::span<std::byte> pages) const {
  if (api_.get_handle_for_address_range == nullptr) return std::nullopt;
  int fd = -1;
  if (api_.get_handle_for_address_range(&fd, address(pages.data()), pages.size(), cuda::handle_dma_buf_fd, 0) != 0) {
    return std::nullopt;
  }
  return FileDescriptor(fd);
}

void CudaMemory::require(cuda::Result error, std::string_view what) const {
  if (error != 0) throw Unusable(fmt::format("{}: {}", what, cuda_words(api_, error)));
}

}  // namespace ringmark
