// An operation's buffers with known input and a verified result, in any kind of memory.
#pragma once

#include <vector>

#include "bench/harness/verify.hpp"
#include "transports/communicator.hpp"

namespace ringmark {

class CheckedBuffers {
 public:
  CheckedBuffers(Memory& memory, const Operation& operation, Buffers buffers, int rank, int ranks);

  const Buffers& get() const { return buffers_; }
  void fill();
  /// Fills the result with bytes that occur in no operation's data, whatever the type.
  void poison();
  std::size_t count_wrong();

 private:
  bool is_host() const { return memory_.kind() == MemoryKind::host; }

  Memory& memory_;
  Layout layout_;
  Buffers buffers_;
  Verifier verifier_;
  std::vector<std::byte> image_;  ///< host copy of a buffer that the CPU cannot access
};

}  // namespace ringmark
