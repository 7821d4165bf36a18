// Memory for buffers, and copies to and from it: the CPU can access only host memory directly.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/memory_kind.hpp"
#include "base/system/file_descriptor.hpp"

namespace ringmark {

class Memory {
 public:
  virtual ~Memory() = default;
  virtual MemoryKind kind() const = 0;
  /// For messages, e.g. "host" or "cuda, GPU 1, NVIDIA H100".
  virtual std::string describe() const = 0;
  /// Its NUMA node; empty if unknown.
  virtual std::optional<int> numa_node() const = 0;

  /// At least one page, aligned to pages and zeroed. Throws std::bad_alloc, Unusable.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void free(std::byte* begin) noexcept = 0;
  /// Either side may be host memory instead. The copy is complete on return. Throws TransportError.
  virtual void copy(void* to, const void* from, std::size_t bytes) const = 0;
  /// Makes an adapter's writes visible to copy(). Call it after the adapter has reported their completion.
  virtual void settle() const = 0;
  /// A dma-buf through which an adapter reaches these whole pages. Empty if none is needed or available.
  virtual std::optional<FileDescriptor> export_dma_buf(std::span<std::byte> pages) const = 0;
};

Memory& host_memory();

/// Owns allocated memory.
class Block {
 public:
  Block() = default;
  Block(Memory& memory, std::size_t bytes) : memory_(&memory), begin_(memory.allocate(bytes)), bytes_(bytes) {}
  Block(Block&& other) noexcept { *this = std::move(other); }
  Block& operator=(Block&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Block() {
    if (begin_ != nullptr) memory_->free(begin_);
  }

  std::byte* data() const { return begin_; }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> span() const { return {begin_, bytes_}; }

 private:
  Memory* memory_ = nullptr;
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ringmark
