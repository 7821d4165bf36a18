#include "bench/harness/host_buffers.hpp"

#include <cstring>
#include <new>

namespace ringmark {

HostBuffers::HostBuffers(std::size_t send_bytes, std::size_t recv_bytes)
    : send_(allocate(send_bytes)), recv_(allocate(recv_bytes)), send_bytes_(send_bytes), recv_bytes_(recv_bytes) {}

HostBuffers::Memory HostBuffers::allocate(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t whole_pages = (bytes + page) / page * page;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(page, whole_pages)));
  if (!memory) throw std::bad_alloc();
  std::memset(memory.get(), 0, whole_pages);
  return memory;
}

Buffers HostBuffers::get(const Operation& operation, int rank, int ranks, bool in_place) {
  if (!in_place) return {send_.get(), recv_.get()};
  const auto layout = layout_of(operation, ranks);
  const std::size_t offset = in_place_offset_bytes(operation, rank);
  if (layout.send_bytes > layout.recv_bytes) return {send_.get(), send_.get() + offset};
  return {recv_.get() + offset, recv_.get()};
}

}  // namespace ringmark
