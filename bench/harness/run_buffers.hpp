// The two buffers that all sizes of a run share.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/operation.hpp"
#include "transports/communicator.hpp"

namespace ringmark {

/// Page-aligned and touched. Large enough for every operation whose layout fits into the one it was created for.
class RunBuffers {
 public:
  RunBuffers(Memory& memory, std::size_t send_bytes, std::size_t recv_bytes)
      : send_(memory, send_bytes), recv_(memory, recv_bytes) {}

  /// Both buffers, for Communicator::keep().
  std::array<std::span<std::byte>, 2> spans() const { return {send_.span(), recv_.span()}; }
  /// In place, the operation uses the larger of its two buffers, which contains this rank's block.
  Buffers get(const Operation& operation, int rank, bool in_place);
  /// The buffers of operation number `turn` when operations rotate through the whole block, as in nccl-tests, so that
  /// small sizes do not find their data in a cache.
  Buffers rotated(Buffers buffers, const Layout& layout, bool in_place, int turn) const;

 private:
  Block send_, recv_;
};

}  // namespace ringmark
