#include "tests/transports/memory/fake_cuda.hpp"

#include <cstdio>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringmark::testing_support {
namespace {

constexpr cuda::Result invalid = 1, no_device = 100, unsupported = 801;
FakeCuda* installed = nullptr;

}  // namespace

struct FakeCudaCalls {
  static cuda::Result init(unsigned) { return installed->fails("cuInit") ? no_device : 0; }
  static cuda::Result device_get_count(int* count) { return *count = installed->faults_.gpus, 0; }
  static cuda::Result device_get(cuda::Device* device, int number) { return *device = 40 + number, 0; }
  static cuda::Result device_get_name(char* name, int bytes, cuda::Device) {
    return std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU"), 0;
  }
  static cuda::Result device_get_pci_bus_id(char* id, int bytes, cuda::Device device) {
    return std::snprintf(id, static_cast<std::size_t>(bytes), "0000:%02X:00.0", device + 0xaa - 40), 0;
  }
  static cuda::Result primary_context_retain(cuda::Context* context, cuda::Device) {
    return *context = installed, ++installed->contexts_, 0;
  }
  static cuda::Result primary_context_release(cuda::Device) { return --installed->contexts_, 0; }
  static cuda::Result context_set_current(cuda::Context) { return installed->fails("cuCtxSetCurrent") ? invalid : 0; }
  static cuda::Result context_synchronize() { return 0; }
  static cuda::Result mem_alloc(cuda::DevicePointer* begin, std::size_t bytes) {
    const std::lock_guard lock(installed->mutex_);
    if (installed->used_bytes_ + bytes > installed->faults_.memory_bytes) return cuda::out_of_memory;
    const int fd = ::memfd_create("fake-gpu", MFD_CLOEXEC);
    if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(bytes)) != 0) return invalid;
    void* address = ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, fd, 0);
    void* window = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *begin = reinterpret_cast<cuda::DevicePointer>(address);
    installed->blocks_[*begin] = {bytes, static_cast<std::byte*>(window), fd};
    installed->used_bytes_ += bytes;
    return 0;
  }
  static cuda::Result mem_free(cuda::DevicePointer begin) {
    const std::lock_guard lock(installed->mutex_);
    const auto found = installed->blocks_.find(begin);
    if (found == installed->blocks_.end()) return invalid;
    const auto& block = found->second;
    ::munmap(reinterpret_cast<void*>(begin), block.bytes);
    ::munmap(block.window, block.bytes);
    ::close(block.fd);
    installed->used_bytes_ -= block.bytes;
    installed->blocks_.erase(found);
    return 0;
  }
  static cuda::Result mem_copy(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t bytes) {
    if (installed->fails("cuMemcpy")) return invalid;
    std::memcpy(installed->reach(reinterpret_cast<void*>(to)), installed->reach(reinterpret_cast<void*>(from)), bytes);
    return 0;
  }
  static cuda::Result mem_set(cuda::DevicePointer begin, unsigned char value, std::size_t bytes) {
    return std::memset(installed->reach(reinterpret_cast<void*>(begin)), value, bytes), 0;
  }
  static cuda::Result pointer_set_attribute(const void* value, int attribute, cuda::DevicePointer) {
    return attribute == cuda::pointer_sync_memops && *static_cast<const int*>(value) == 1 ? 0 : invalid;
  }
  static cuda::Result get_error_string(cuda::Result error, const char** text) {
    return *text = error == no_device ? "no CUDA-capable device is detected" : "some other error", 0;
  }
  static cuda::Result device_get_attribute(int* value, int attribute, cuda::Device) {
    if (attribute != cuda::writes_ordering) return invalid;
    return *value = installed->faults_.writes_ordering, 0;
  }
  static cuda::Result flush_writes(int target, int scope) {
    if (target != cuda::flush_current_context || scope != cuda::writes_ordered_for_owner) return invalid;
    return ++installed->flushes_, 0;
  }
  static cuda::Result get_handle(void* handle, cuda::DevicePointer begin, std::size_t bytes, int type,
                                 unsigned long long) {
    const std::lock_guard lock(installed->mutex_);
    const auto found = installed->find(begin);
    const bool fits = found != installed->blocks_.end() && begin + bytes <= found->first + found->second.bytes;
    if (!fits || begin % 4096 != 0 || bytes % 4096 != 0 || type != cuda::handle_dma_buf_fd) return invalid;
    if (!installed->faults_.exports_dma_bufs) return unsupported;
    return *static_cast<int*>(handle) = ::dup(found->second.fd), 0;
  }
};

FakeCuda::FakeCuda(FakeCudaFaults faults) : faults_(std::move(faults)) {
  using C = FakeCudaCalls;
  api_ = {C::init,
          C::device_get_count,
          C::device_get,
          C::device_get_name,
          C::device_get_pci_bus_id,
          C::primary_context_retain,
          C::primary_context_release,
          C::context_set_current,
          C::context_synchronize,
          C::mem_alloc,
          C::mem_free,
          C::mem_copy,
          C::mem_set,
          C::pointer_set_attribute,
          C::get_error_string,
          C::device_get_attribute,
          C::flush_writes,
          C::get_handle};
  driver_.api = &api_;
  installed = this;
}

FakeCuda::~FakeCuda() { installed = nullptr; }

std::map<std::uint64_t, FakeCuda::Block>::iterator FakeCuda::find(std::uint64_t address) {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return blocks_.end();
  --after;
  return address < after->first + after->second.bytes ? after : blocks_.end();
}

std::byte* FakeCuda::reach(const void* address) {
  const std::lock_guard lock(mutex_);
  const auto number = reinterpret_cast<std::uint64_t>(address);
  const auto found = find(number);
  if (found == blocks_.end()) return static_cast<std::byte*>(const_cast<void*>(address));
  return found->second.window + (number - found->first);
}

bool FakeCuda::is_dma_buf_of(int fd, const void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = find(reinterpret_cast<std::uint64_t>(address));
  struct stat one {
  }, other{};
  return found != blocks_.end() && ::fstat(fd, &one) == 0 && ::fstat(found->second.fd, &other) == 0 &&
         one.st_ino == other.st_ino;
}

}  // namespace ringmark::testing_support
