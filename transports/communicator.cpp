#include "transports/communicator.hpp"

namespace ringmark {

bool is_in_place(const Operation& operation, Buffers buffers, int rank) {
  const auto* send = static_cast<const std::byte*>(buffers.send);
  const auto* recv = static_cast<const std::byte*>(buffers.recv);
  const std::size_t offset = in_place_offset_bytes(operation, rank);
  if (why_not_in_place(operation.collective) != nullptr && recv == nullptr) return false;  // both are empty
  return sends_all_blocks(operation.collective) ? recv == send + offset : send == recv + offset;
}

void Communicator::run_batch(const Operation& operation, std::span<const Buffers> buffers, Clock::duration patience) {
  for (const auto each : buffers) run(operation, each, patience);
}

}  // namespace ringmark
