// Bytes between two ranks: what a transport must offer so that every schedule runs over it.
//
// Life: construct, connect() to the peers that a schedule needs, then any number of send() and receive(), driven by
// progress(). Between two ranks what is sent first is received first; both ends post the same lengths in the same
// order, so nothing but payload needs to travel. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/system/deadline.hpp"
#include "transports/memory/memory.hpp"
#include "transports/reduce/reduction.hpp"

namespace ringmark {

/// Where a message goes. With a reduction, to[i] = local[i] op incoming[i], element by element as bytes arrive; `local`
/// may be `to`. Lengths are whole elements.
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
  /// For messages, e.g. "rank 2 on node7".
  virtual std::string describe(int rank) const = 0;
  /// Where kept memory lies. Other messages are in host memory. Nothing is reduced in any other kind.
  virtual Memory& memory() const { return host_memory(); }

  /// Connects to the peers that are not connected yet. Both ends of a pair must name each other.
  virtual void connect(std::span<const int> peers, Deadline deadline) = 0;

  /// Memory that many messages will lie in: a fabric that registers memory does so once, and copies messages from and
  /// to any other. Not to be freed before forget() was called with the same memory as often.
  virtual void keep(std::span<std::byte> memory) = 0;
  virtual void forget(std::span<std::byte> memory) = 0;

  /// Posts a message of at least one byte, which must stay as it is until complete. Returns its number among those to
  /// this peer, from 1. Complete means that the memory is free again, not that the peer has it.
  virtual std::uint64_t send(int to, std::span<const std::byte> message) = 0;
  /// The same; another message to this peer is posted right after it, and both may travel as one.
  virtual std::uint64_t send_with_next(int to, std::span<const std::byte> message) { return send(to, message); }
  /// Messages of so many bytes do travel as one then; 0: none.
  virtual std::size_t most_joined_bytes() const { return 0; }
  virtual std::uint64_t receive(int from, const Incoming& incoming) = 0;
  /// How many of the messages to (from) a peer are complete: always the first ones.
  virtual std::uint64_t sent(int to) const = 0;
  virtual std::uint64_t received(int from) const = 0;

  /// Moves what can be moved and returns once something became complete, or at `until`. Throws PeerLost.
  virtual void progress(Deadline until) = 0;
  /// Tells every rank that `rank` is lost, so that all name the same culprit. Never throws.
  virtual void abort(int rank, const std::string& reason) noexcept = 0;

  /// A fabric of its own for some of the ranks, which are renumbered in the order given. Every rank of this fabric
  /// calls it, with the group that it belongs to.
  virtual std::unique_ptr<Fabric> split(std::span<const int> ranks) = 0;
};

}  // namespace ringmark
