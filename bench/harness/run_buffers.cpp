#include "bench/harness/run_buffers.hpp"

#include <algorithm>
#include <cstdint>

namespace ringmark {

Buffers RunBuffers::get(const Operation& operation, int rank, bool in_place) {
  if (!in_place) return {send_.data(), recv_.data()};
  const std::size_t offset = in_place_offset_bytes(operation, rank);
  if (sends_all_blocks(operation.collective)) return {send_.data(), send_.data() + offset};
  return {recv_.data() + offset, recv_.data()};
}

Buffers RunBuffers::rotated(Buffers buffers, const Layout& layout, bool in_place, int turn) const {
  // Device copies work best on 16 bytes at a time.
  const auto stride = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
  const auto places = [&](const Block& block, std::size_t bytes) {
    return bytes == 0 ? SIZE_MAX : std::max<std::size_t>(block.size() / stride(bytes), 1);
  };
  const auto most = std::max(layout.send_bytes, layout.recv_bytes);
  const auto& larger = layout.send_bytes > layout.recv_bytes ? send_ : recv_;
  const auto count =
      in_place ? places(larger, most) : std::min(places(send_, layout.send_bytes), places(recv_, layout.recv_bytes));
  const auto at = static_cast<std::size_t>(turn) % count;
  return {static_cast<const std::byte*>(buffers.send) + at * stride(in_place ? most : layout.send_bytes),
          static_cast<std::byte*>(buffers.recv) + at * stride(in_place ? most : layout.recv_bytes)};
}

}  // namespace ringmark
