#include "transports/communicator.hpp"

namespace ringmark {

bool is_in_place(const Operation& operation, Buffers buffers, int rank) {
  const auto* send = static_cast<const std::byte*>(buffers.send);
  const auto* recv = static_cast<const std::byte*>(buffers.recv);
  const std::size_t offset = in_place_offset_bytes(operation, rank);
  return operation.collective == Collective::reduce_scatter ? recv == send + offset : send == recv + offset;
}

}  // namespace ringmark
