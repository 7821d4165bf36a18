#include "transports/mpi/module/operations.hpp"

#include <array>
#include <limits>
#include <memory>

#include "transports/mpi/module/call.hpp"
#include "transports/schedules/chunk.hpp"

namespace ringmark {
namespace {

/// Elements of the largest buffer of any rank.
std::size_t most_of_a_buffer(const Operation& operation) {
  return largest_buffer_bytes(operation, operation.counts->ranks()) / size_bytes(operation.type);
}

/// One call's requests; a send_recv has a send and a receive for each part.
struct Started {
  std::array<MPI_Request, 4> requests;
  int count = 0;
  std::unique_ptr<Blocks> blocks{};  ///< MPI reads them until the call has ended

  MPI_Request* next() { return &requests[static_cast<std::size_t>(count++)]; }
};

int exchange_parts(const Operation& operation, const Call& c, Started& started) {
  const int rank = rank_in(c.communicator), ranks = size_in(c.communicator), parts = parts_of(operation.pattern);
  for (int part = 0; part < parts; ++part) {
    const auto extent = chunk_of(operation.count, parts, part);
    const auto offset = extent.offset * size_bytes(operation.type);
    const int count = static_cast<int>(extent.length);
    int code = MPI_Irecv(static_cast<std::byte*>(c.recv) + offset, count, c.type,
                         source_of(operation.pattern, part, rank, ranks), part, c.communicator, started.next());
    if (code != MPI_SUCCESS) return code;
    code = MPI_Isend(static_cast<const std::byte*>(c.send) + offset, count, c.type,
                     destination_of(operation.pattern, part, rank, ranks), part, c.communicator, started.next());
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int run_blocks(const Operation& operation, const Call& c) {
  const Blocks b(operation, rank_in(c.communicator));
  const int *counts = b.recv_counts.data(), *offsets = b.recv_offsets.data();
  if (operation.collective == Collective::all_gather)
    return MPI_Allgatherv(c.send, b.own, c.type, c.recv, counts, offsets, c.type, c.communicator);
  if (operation.collective == Collective::reduce_scatter)
    return MPI_Reduce_scatter(c.send, c.recv, counts, c.type, c.op, c.communicator);
  return MPI_Alltoallv(c.send, b.send_counts.data(), b.send_offsets.data(), c.type, c.recv, counts, offsets, c.type,
                       c.communicator);
}

int start_blocks(const Operation& operation, const Call& c, Started& started) {
  started.blocks = std::make_unique<Blocks>(operation, rank_in(c.communicator));
  const auto& b = *started.blocks;
  const int *counts = b.recv_counts.data(), *offsets = b.recv_offsets.data();
  if (operation.collective == Collective::all_gather)
    return MPI_Iallgatherv(c.send, b.own, c.type, c.recv, counts, offsets, c.type, c.communicator, started.next());
  if (operation.collective == Collective::reduce_scatter)
    return MPI_Ireduce_scatter(c.send, c.recv, counts, c.type, c.op, c.communicator, started.next());
  return MPI_Ialltoallv(c.send, b.send_counts.data(), b.send_offsets.data(), c.type, c.recv, counts, offsets, c.type,
                        c.communicator, started.next());
}

}  // namespace

const char* why_unsupported_by_mpi(const Operation& operation, bool in_place) {
  const bool is_small_float = !is_integer(operation.type) && size_bytes(operation.type) < sizeof(float);
  if (reduces(operation.collective) && is_small_float)
    return "MPI cannot reduce 8-bit or 16-bit floating-point types; use float32, or another transport";
  if (reduces(operation.collective) && operation.op == ReduceOp::avg) return "MPI has no avg reduction";
  if (in_place && operation.collective == Collective::reduce_scatter) {
    return "MPI puts the in-place result at the start of the buffer, not into the rank's block";
  }
#ifdef MPICH_VERSION
  // MPICH 4.0.2's algorithm for long vectors ends with a segmentation fault.
  if (in_place && operation.collective == Collective::reduce && operation.root != 0)
    return "MPICH crashes in an in-place reduce whose root is not rank 0";
#endif
  const bool swaps_lengths = operation.collective == Collective::all_to_all && operation.counts;
  if (in_place && (swaps_lengths || operation.collective == Collective::send_recv))
    return why_not_in_place(operation.collective);
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (operation.count > most) return "more elements than an MPI call can count";
  if (operation.counts && most_of_a_buffer(operation) > most)
    return "the offsets of unequal blocks exceed what an MPI call can count; use a wider type or smaller counts";
  return nullptr;
}

int run_operation(void* handle, const Operation& operation, Buffers buffers, bool in_place) {
  const Call c(handle, operation, buffers, in_place);
  if (operation.counts) return run_blocks(operation, c);
  switch (operation.collective) {
    case Collective::all_reduce:
      return MPI_Allreduce(c.send, c.recv, c.count, c.type, c.op, c.communicator);
    case Collective::reduce_scatter:
      return MPI_Reduce_scatter_block(c.send, c.recv, c.count, c.type, c.op, c.communicator);
    case Collective::all_gather:
      return MPI_Allgather(c.send, c.count, c.type, c.recv, c.count, c.type, c.communicator);
    case Collective::reduce:
      return MPI_Reduce(c.send, c.recv, c.count, c.type, c.op, c.root, c.communicator);
    case Collective::broadcast:
      return MPI_Bcast(c.recv, c.count, c.type, c.root, c.communicator);
    case Collective::all_to_all:
      return MPI_Alltoall(c.send, c.count, c.type, c.recv, c.count, c.type, c.communicator);
    case Collective::gather:
      return MPI_Gather(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.communicator);
    case Collective::scatter:
      return MPI_Scatter(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.communicator);
    case Collective::send_recv:
      break;
  }
  Started started;
  const int code = exchange_parts(operation, c, started);
  return code == MPI_SUCCESS ? MPI_Waitall(started.count, started.requests.data(), MPI_STATUSES_IGNORE) : code;
}

int start_operation(void* handle, const Operation& operation, Buffers buffers, bool in_place, void** request) {
  const Call c(handle, operation, buffers, in_place);
  auto owned = std::make_unique<Started>();
  auto& started = *owned;
  *request = owned.release();
  if (operation.counts) return start_blocks(operation, c, started);
  if (operation.collective == Collective::send_recv) return exchange_parts(operation, c, started);
  MPI_Request* r = started.next();
  switch (operation.collective) {
    case Collective::all_reduce:
      return MPI_Iallreduce(c.send, c.recv, c.count, c.type, c.op, c.communicator, r);
    case Collective::reduce_scatter:
      return MPI_Ireduce_scatter_block(c.send, c.recv, c.count, c.type, c.op, c.communicator, r);
    case Collective::all_gather:
      return MPI_Iallgather(c.send, c.count, c.type, c.recv, c.count, c.type, c.communicator, r);
    case Collective::reduce:
      return MPI_Ireduce(c.send, c.recv, c.count, c.type, c.op, c.root, c.communicator, r);
    case Collective::broadcast:
      return MPI_Ibcast(c.recv, c.count, c.type, c.root, c.communicator, r);
    case Collective::gather:
      return MPI_Igather(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.communicator, r);
    case Collective::scatter:
      return MPI_Iscatter(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.communicator, r);
    case Collective::all_to_all:
    case Collective::send_recv:
      break;
  }
  return MPI_Ialltoall(c.send, c.count, c.type, c.recv, c.count, c.type, c.communicator, r);
}

int test_operation(void* request, int* done) {
  auto* started = static_cast<Started*>(request);
  const int code = MPI_Testall(started->count, started->requests.data(), done, MPI_STATUSES_IGNORE);
  if (*done != 0) delete started;
  return code;
}

}  // namespace ringmark
