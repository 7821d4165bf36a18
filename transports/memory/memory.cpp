#include "transports/memory/memory.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include <sched.h>

namespace ringmark {
namespace {

class HostMemory final : public Memory {
 public:
  MemoryKind kind() const override { return MemoryKind::host; }
  std::string describe() const override { return "host"; }
  std::optional<int> numa_node() const override {
    unsigned cpu = 0, node = 0;
    if (::getcpu(&cpu, &node) != 0) return std::nullopt;
    return static_cast<int>(node);
  }
  std::byte* allocate(std::size_t bytes) override {
    constexpr std::size_t page = 4096;
    const std::size_t whole_pages = (bytes + page) / page * page;
    auto* begin = static_cast<std::byte*>(std::aligned_alloc(page, whole_pages));
    if (begin == nullptr) throw std::bad_alloc();
    std::memset(begin, 0, whole_pages);
    return begin;
  }
  void free(std::byte* begin) noexcept override { std::free(begin); }
  void copy(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
  void settle() const override {}
  std::optional<FileDescriptor> export_dma_buf(std::span<std::byte>) const override { return std::nullopt; }
};

}  // namespace

Memory& host_memory() {
  static HostMemory memory;
  return memory;
}

}  // namespace ringmark
