#include "transports/nccl/calls.hpp"

#include "transports/nccl/names.hpp"

namespace ringmark {
namespace {

nccl::Result exchange_in_a_group(const NcclApi& api, const Operation& operation, Buffers buffers, int ranks,
                                 nccl::Comm comm, cuda::Stream stream) {
  const int type = nccl_number(operation.type);
  const auto block = operation.count * size_bytes(operation.type);
  auto result = api.group_start();
  for (int peer = 0; peer < ranks && result == nccl::success; ++peer) {
    const auto offset = static_cast<std::size_t>(peer) * block;
    result = api.send(static_cast<const std::byte*>(buffers.send) + offset, operation.count, type, peer, comm, stream);
    if (result == nccl::success)
      result = api.recv(static_cast<std::byte*>(buffers.recv) + offset, operation.count, type, peer, comm, stream);
  }
  const auto ended = api.group_end();
  return result == nccl::success ? ended : result;
}

}  // namespace

nccl::Result call_nccl(const NcclApi& api, const Operation& operation, Buffers buffers, int ranks, nccl::Comm comm,
                       cuda::Stream stream) {
  const int type = nccl_number(operation.type), op = nccl_number(operation.op);
  const auto [send, recv] = buffers;
  const auto count = operation.count;
  switch (operation.collective) {
    case Collective::all_reduce:
      return api.all_reduce(send, recv, count, type, op, comm, stream);
    case Collective::reduce_scatter:
      return api.reduce_scatter(send, recv, count, type, op, comm, stream);
    case Collective::all_gather:
      return api.all_gather(send, recv, count, type, comm, stream);
    case Collective::reduce:
      return api.reduce(send, recv, count, type, op, operation.root, comm, stream);
    case Collective::broadcast:
      return api.broadcast(send, recv, count, type, operation.root, comm, stream);
    case Collective::all_to_all:
      break;
  }
  if (api.all_to_all != nullptr) return api.all_to_all(send, recv, count, type, comm, stream);
  return exchange_in_a_group(api, operation, buffers, ranks, comm, stream);
}

}  // namespace ringmark
