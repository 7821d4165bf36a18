#include "transports/communicator.hpp"

namespace ringmark {

bool is_in_place(const Operation& operation, Buffers buffers, int rank) {
  const auto* send = static_cast<const std::byte*>(buffers.send);
  const auto* recv = static_cast<const std::byte*>(buffers.recv);
  const std::size_t offset = in_place_offset_bytes(operation, rank);
  return operation.collective == Collective::reduce_scatter ? recv == send + offset : send == recv + offset;
}

const char* why_not_in_place(Collective collective) {
  return collective == Collective::all_to_all
             ? "all_to_all cannot run in place: blocks would be overwritten before they are sent"
             : nullptr;
}

void Communicator::run_batch(const Operation& operation, std::span<const Buffers> buffers, Clock::duration patience) {
  for (const auto each : buffers) run(operation, each, patience);
}

}  // namespace ringmark
