#include "transports/nccl/calls.hpp"

#include "transports/nccl/names.hpp"
#include "transports/schedules/chunk.hpp"

namespace ringmark {
namespace {

/// Runs an operation for which the library has no function as a group of messages between pairs of ranks. As in
/// nccl-tests, a rank sends its own block to itself.
class MessageGroup {
 public:
  MessageGroup(const NcclApi& api, const Operation& operation, Buffers buffers, nccl::Comm comm, cuda::Stream stream)
      : api_(api), operation_(operation), buffers_(buffers), comm_(comm), stream_(stream), result_(api.group_start()) {}

  /// Sends `count` elements at `offset` in the send buffer.
  void send(std::size_t offset, std::size_t count, int peer) {
    if (result_ != nccl::success) return;
    const auto* from = static_cast<const std::byte*>(buffers_.send) + offset * size_bytes(operation_.type);
    result_ = api_.send(from, count, nccl_number(operation_.type), peer, comm_, stream_);
  }
  /// Receives `count` elements at `offset` in the receive buffer.
  void receive(std::size_t offset, std::size_t count, int peer) {
    if (result_ != nccl::success) return;
    auto* to = static_cast<std::byte*>(buffers_.recv) + offset * size_bytes(operation_.type);
    result_ = api_.recv(to, count, nccl_number(operation_.type), peer, comm_, stream_);
  }

  nccl::Result end() {
    const auto ended = api_.group_end();
    return result_ == nccl::success ? ended : result_;
  }

 private:
  const NcclApi& api_;
  const Operation& operation_;
  Buffers buffers_;
  nccl::Comm comm_;
  cuda::Stream stream_;
  nccl::Result result_;
};

void add_messages(MessageGroup& group, const Operation& operation, int rank, int ranks) {
  const auto count = operation.count;
  if (operation.collective == Collective::send_recv) {
    for (int part = 0; part < parts_of(operation.pattern); ++part) {
      const auto [offset, length] = chunk_of(count, parts_of(operation.pattern), part);
      group.send(offset, length, destination_of(operation.pattern, part, rank, ranks));
      group.receive(offset, length, source_of(operation.pattern, part, rank, ranks));
    }
    return;
  }
  const bool is_gather = operation.collective == Collective::gather;
  const bool is_scatter = operation.collective == Collective::scatter;
  const bool sends_blocks = is_scatter ? rank == operation.root : !is_gather;
  const bool receives_blocks = is_gather ? rank == operation.root : !is_scatter;
  if (is_gather) group.send(0, count, operation.root);
  for (int peer = 0; peer < ranks; ++peer) {
    const auto to = sent_block(operation, rank, peer), from = received_block(operation, rank, peer);
    // Unequal blocks may be empty; then neither side has a message.
    const bool may_be_empty = operation.counts != nullptr;
    if (sends_blocks && (!may_be_empty || to.length > 0)) group.send(to.offset, to.length, peer);
    if (receives_blocks && (!may_be_empty || from.length > 0)) group.receive(from.offset, from.length, peer);
  }
  if (is_scatter) group.receive(0, count, operation.root);
}

/// Runs an all_gather or reduce_scatter of unequal blocks as a group with one broadcast or reduce per block, as PyTorch
/// does.
nccl::Result call_by_blocks(const NcclApi& api, const Operation& operation, Buffers buffers, NcclPlace place,
                            nccl::Comm comm, cuda::Stream stream) {
  const bool gathers = operation.collective == Collective::all_gather;
  const int type = nccl_number(operation.type), op = nccl_number(operation.op);
  const std::size_t element = size_bytes(operation.type);
  auto result = api.group_start();
  for (int root = 0; root < place.ranks; ++root) {
    const auto [offset, length] = operation.counts->block(root);
    if (length == 0 || result != nccl::success) continue;
    const auto* from = static_cast<const std::byte*>(buffers.send);
    auto* to = static_cast<std::byte*>(buffers.recv);
    if (gathers) {
      to += offset * element;
      result = api.broadcast(root == place.rank ? from : to, to, length, type, root, comm, stream);
    } else {
      from += offset * element;
      result = api.reduce(from, to, length, type, op, root, comm, stream);
    }
  }
  const auto ended = api.group_end();
  return result == nccl::success ? ended : result;
}

}  // namespace

nccl::Result call_nccl(const NcclApi& api, const Operation& operation, Buffers buffers, NcclPlace place,
                       nccl::Comm comm, cuda::Stream stream) {
  const int type = nccl_number(operation.type), op = nccl_number(operation.op), root = operation.root;
  const auto [send, recv] = buffers;
  const auto count = operation.count;
  if (operation.counts && !operation.counts->is_of_pairs()) {
    return call_by_blocks(api, operation, buffers, place, comm, stream);
  }
  switch (operation.collective) {
    case Collective::all_reduce:
      return api.all_reduce(send, recv, count, type, op, comm, stream);
    case Collective::reduce_scatter:
      return api.reduce_scatter(send, recv, count, type, op, comm, stream);
    case Collective::all_gather:
      return api.all_gather(send, recv, count, type, comm, stream);
    case Collective::reduce:
      return api.reduce(send, recv, count, type, op, root, comm, stream);
    case Collective::broadcast:
      return api.broadcast(send, recv, count, type, root, comm, stream);
    case Collective::all_to_all:
      if (api.all_to_all != nullptr && !operation.counts) return api.all_to_all(send, recv, count, type, comm, stream);
      break;
    case Collective::gather:
      if (api.gather != nullptr) return api.gather(send, recv, count, type, root, comm, stream);
      break;
    case Collective::scatter:
      if (api.scatter != nullptr) return api.scatter(send, recv, count, type, root, comm, stream);
      break;
    case Collective::send_recv:
      break;
  }
  MessageGroup group(api, operation, buffers, comm, stream);
  add_messages(group, operation, place.rank, place.ranks);
  return group.end();
}

}  // namespace ringmark
