// NCCL's collectives captured as CUDA graphs, one for each operation and its buffers.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <tuple>

#include "transports/communicator.hpp"
#include "transports/memory/cuda/stream.hpp"
#include "transports/nccl/api.hpp"

namespace ringmark {

/// Throws TransportError if the driver fails. `api` and `stream` must outlive it.
class NcclGraphs {
 public:
  NcclGraphs(const CudaApi& api, const CudaStream& stream) : api_(api), stream_(stream) {}
  ~NcclGraphs() { drop(); }
  NcclGraphs(const NcclGraphs&) = delete;
  NcclGraphs& operator=(const NcclGraphs&) = delete;

  /// Enqueues the operation; false if it was never captured.
  bool launch(const Operation& operation, Buffers buffers) const;
  /// Captures the work that `issue` enqueues, without running it; earlier work continues. Returns the result of
  /// `issue`.
  nccl::Result capture(const Operation& operation, Buffers buffers, const std::function<nccl::Result()>& issue);
  /// Destroys all graphs. Call before ending the communicator, which waits for their destruction.
  void drop() noexcept;

 private:
  using Key = std::tuple<Operation, const void*, void*>;
  static Key key_of(const Operation& operation, Buffers buffers);

  const CudaApi& api_;
  const CudaStream& stream_;
  std::map<Key, cuda::GraphExec> graphs_;
};

}  // namespace ringmark
