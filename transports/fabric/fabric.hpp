// The interface of a transport: moves bytes between two ranks. Every schedule runs over it.
//
// Life cycle: construct, connect() to the peers that a schedule needs, then any number of send() and receive(), driven
// by progress(). Messages between two ranks arrive in order; both ends post the same lengths in the same order, so only
// payload is sent. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/system/deadline.hpp"
#include "transports/memory/memory.hpp"
#include "transports/reduce/reduction.hpp"

namespace ringmark {

/// Target of a message. With a reduction, to[i] = local[i] op incoming[i], element by element as bytes arrive; `local`
/// may equal `to`. Lengths are whole elements.
struct Incoming {
  std::byte* to;
  std::size_t bytes;
  const std::byte* local = nullptr;
  Reduction reduction = {};
};

/// 0 to size - 1.
inline std::vector<int> all_ranks(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// A rank's name in messages for people, e.g. "rank 2 on node7".
  virtual std::string describe(int rank) const = 0;
  /// The memory that keep() accepts. Other messages are in host memory. Only host memory can be reduced into.
  virtual Memory& memory() const { return host_memory(); }

  /// Connects to peers that are not connected yet. Both ends of a pair must name each other.
  virtual void connect(std::span<const int> peers, Deadline deadline) = 0;

  /// Announces memory for many messages: a fabric that registers memory does so once, and copies messages from and to
  /// any other memory. Before freeing it, call forget() once for each call of keep() with the same memory.
  virtual void keep(std::span<std::byte> memory) = 0;
  virtual void forget(std::span<std::byte> memory) = 0;

  /// Posts a message of at least one byte, which must not change until it is complete. Returns its number among the
  /// messages to this peer, counted from 1. Complete means that the memory may be reused, not that the peer has the
  /// message.
  virtual std::uint64_t send(int to, std::span<const std::byte> message) = 0;
  /// Like send(), for a message that is immediately followed by another one to this peer: both may be sent as one.
  virtual std::uint64_t send_with_next(int to, std::span<const std::byte> message) { return send(to, message); }
  /// The longest message that send_with_next() joins with the next one; 0 if none.
  virtual std::size_t most_joined_bytes() const { return 0; }
  virtual std::uint64_t receive(int from, const Incoming& incoming) = 0;
  /// How many messages to (from) a peer are complete. Messages complete in order.
  virtual std::uint64_t sent(int to) const = 0;
  virtual std::uint64_t received(int from) const = 0;

  /// Moves bytes, and returns once a message is complete, or at `until`. Throws PeerLost.
  virtual void progress(Deadline until) = 0;
  /// Tells every rank, including `rank`, that it is lost, so that all name the same culprit. Never throws.
  virtual void abort(int rank, const std::string& reason) noexcept = 0;
  /// Ends a wait for a rank that took too long: finds out whom to blame, as far as the transport can tell, tells every
  /// rank, and throws TimedOut (RunLost if another rank was first).
  [[noreturn]] virtual void give_up(int awaited, const std::string& reason) {
    abort(awaited, reason);
    throw TimedOut("timed out waiting for " + describe(awaited) + ": " + reason, true);
  }

  /// A new fabric for a group of ranks, which are renumbered in the order given. Every rank of this fabric calls it
  /// with its own group.
  virtual std::unique_ptr<Fabric> split(std::span<const int> ranks) = 0;
};

}  // namespace ringmark
