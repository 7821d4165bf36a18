// Where buffers lie, and how bytes get in and out of there: a processor reads and writes host memory alone.
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
  /// For people, e.g. "host" or "cuda, GPU 1, NVIDIA H100".
  virtual std::string describe() const = 0;
  /// NUMA node that it belongs to, as far as is known.
  virtual std::optional<int> numa_node() const = 0;

  /// At least one page, aligned to pages and zeroed. Throws std::bad_alloc, Unusable.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void free(std::byte* begin) noexcept = 0;
  /// Either side may be host memory instead. Over when it returns. Throws TransportError.
  virtual void copy(void* to, const void* from, std::size_t bytes) const = 0;
  /// Makes what an adapter has written visible to copy(). To be called after the adapter said that it has.
  virtual void settle() const = 0;
  /// What an adapter can reach whole pages of it by. Nothing if it needs none, or there is none.
  virtual std::optional<FileDescriptor> export_dma_buf(std::span<std::byte> pages) const = 0;
};

Memory& host_memory();

/// Allocated memory that ends with its owner.
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
