#include "bench/harness/run_buffers.hpp"

namespace ringmark {

Buffers RunBuffers::get(const Operation& operation, int rank, int ranks, bool in_place) {
  if (!in_place) return {send_.data(), recv_.data()};
  const auto layout = layout_of(operation, ranks);
  const std::size_t offset = in_place_offset_bytes(operation, rank);
  if (layout.send_bytes > layout.recv_bytes) return {send_.data(), send_.data() + offset};
  return {recv_.data() + offset, recv_.data()};
}

}  // namespace ringmark
