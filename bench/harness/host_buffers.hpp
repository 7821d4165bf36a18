// The two buffers that all sizes of a run share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "transports/communicator.hpp"
#include "transports/operation.hpp"

namespace ringmark {

/// Page-aligned and touched. Large enough for every operation whose layout is within what it was made for.
class HostBuffers {
 public:
  HostBuffers(std::size_t send_bytes, std::size_t recv_bytes);

  /// Both, for a communicator to keep.
  std::array<std::span<std::byte>, 2> memory() const {
    return {{{send_.get(), send_bytes_}, {recv_.get(), recv_bytes_}}};
  }
  /// In place the operation uses the larger of its two buffers, which this rank's block is part of.
  Buffers get(const Operation& operation, int rank, int ranks, bool in_place);

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory allocate(std::size_t bytes);

  Memory send_, recv_;
  std::size_t send_bytes_, recv_bytes_;
};

}  // namespace ringmark
