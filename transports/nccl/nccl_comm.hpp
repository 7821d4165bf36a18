// An NCCL communicator: how it is created, how its failures become exceptions, and how it ends. The watchdog bounds
// calls that may not return, and ends the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "transports/nccl/nccl_graphs.hpp"
#include "transports/nccl/nccl_peers.hpp"
#include "transports/nccl/nccl_runtime.hpp"
#include "transports/nccl/registrations.hpp"

namespace ringmark {

/// NCCL refused a call.
class NcclRefused final : public TransportError {
 public:
  NcclRefused(nccl::Result result, std::string last_error, const std::string& text)
      : TransportError(text), result_(result), last_error_(std::move(last_error)) {}
  nccl::Result result() const { return result_; }
  /// NCCL's message; may be empty.
  const std::string& last_error() const { return last_error_; }

 private:
  nccl::Result result_;
  std::string last_error_;
};

/// A call that NCCL refuses aborts this communicator. A failure found by check() aborts all communicators of the
/// runtime. If an abort does not return, the process exits with status 3.
class NcclComm {
 public:
  /// Creates the communicator together with the other ranks. `graphs` are the communicator's graphs, which are
  /// destroyed before it ends. `runtime` and `graphs` must outlive this.
  NcclComm(NcclRuntime& runtime, NcclGraphs& graphs, int rank, int size, NcclPeers peers);
  /// Takes ownership of a communicator created by split_off().
  NcclComm(NcclRuntime& runtime, NcclGraphs& graphs, nccl::Comm group, int rank, int size, NcclPeers peers);
  ~NcclComm();
  NcclComm(const NcclComm&) = delete;
  NcclComm& operator=(const NcclComm&) = delete;

  nccl::Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  const NcclPeers& peers() const { return peers_; }
  /// False if it was split off from another communicator.
  bool can_reconnect() const { return !is_group_; }
  /// Creates the communicator again, as is required after a refusal, and registers its memory again.
  void reconnect();
  /// Creates a communicator of some ranks; this one is `ranks[own]`.
  nccl::Comm split_off(std::span<const int> ranks, int own);

  void keep(std::span<std::byte> memory);
  void forget(std::span<std::byte> memory) { registrations_.remove(comm_, memory); }

  /// The process exits if `call` takes longer than the timeout.
  Watchdog::Guard bounded(const char* call) const;
  /// Throws NcclRefused or PeerLost unless the result is success.
  void require(nccl::Result result, std::string_view call);
  /// Checks whether NCCL, which advances on its own, has failed: throws TransportError. Occasionally checks the other
  /// ranks too: throws PeerLost.
  void check();

 private:
  void connect();
  void look_for_who_is_lost() const;
  void abandon() noexcept;

  NcclRuntime& runtime_;
  NcclGraphs& graphs_;
  int rank_, size_;
  NcclPeers peers_;
  bool is_group_ = true;
  nccl::Comm comm_ = nullptr;
  NcclRegistrations registrations_;
  unsigned checks_ = 0;
};

}  // namespace ringmark
