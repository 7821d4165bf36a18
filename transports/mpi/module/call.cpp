#include "transports/mpi/module/call.hpp"

#include <cstring>

namespace ringmark {
namespace {

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::int8:
      return MPI_INT8_T;
    case DataType::uint8:
      return MPI_UINT8_T;
    case DataType::int32:
      return MPI_INT32_T;
    case DataType::uint32:
      return MPI_UINT32_T;
    case DataType::int64:
      return MPI_INT64_T;
    case DataType::uint64:
      return MPI_UINT64_T;
    case DataType::float32:
      return MPI_FLOAT;
    case DataType::float64:
      return MPI_DOUBLE;
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
      return MPI_UINT8_T;  // only to move it, as below: why_unsupported refuses to reduce it
    case DataType::float16:
    case DataType::bfloat16:
      break;
  }
  return MPI_UINT16_T;
}

MPI_Op mpi_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod:
      return MPI_PROD;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
    case ReduceOp::sum:
    case ReduceOp::avg:
      break;
  }
  return MPI_SUM;
}

}  // namespace

Call::Call(void* handle, const Operation& operation, Buffers buffers, bool in_place)
    : communicator(comm(handle)),
      root(operation.root),
      count(static_cast<int>(operation.count)),
      type(mpi_type(operation.type)),
      op(mpi_op(operation.op)),
      send(buffers.send),
      recv(buffers.recv) {
  const bool is_root = rank_in(communicator) == root;
  // In these operations, only the root passes MPI_IN_PLACE.
  const bool only_root_says_so = is_rooted(operation.collective) && operation.collective != Collective::broadcast;
  if (in_place && (is_root || !only_root_says_so)) {
    if (operation.collective == Collective::scatter)
      recv = MPI_IN_PLACE;
    else
      send = MPI_IN_PLACE;
  }
  if (operation.collective == Collective::broadcast && is_root && !in_place) {
    std::memcpy(recv, buffers.send, operation.count * size_bytes(operation.type));  // MPI_Bcast has one buffer
  }
}

Blocks::Blocks(const Operation& operation, int rank) {
  for (int peer = 0; peer < operation.counts->ranks(); ++peer) {
    const auto to = sent_block(operation, rank, peer), from = received_block(operation, rank, peer);
    send_counts.push_back(static_cast<int>(to.length));
    send_offsets.push_back(static_cast<int>(to.offset));
    recv_counts.push_back(static_cast<int>(from.length));
    recv_offsets.push_back(static_cast<int>(from.offset));
  }
  own = send_counts[static_cast<std::size_t>(rank)];
}

}  // namespace ringmark
