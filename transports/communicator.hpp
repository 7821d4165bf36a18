// The seam between what is measured and how it is carried out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/operation.hpp"
#include "base/system/deadline.hpp"
#include "transports/memory/memory.hpp"

namespace ringmark {

/// The two buffers of an operation, as long as layout_of says. In place the smaller one lies within the larger one, at
/// in_place_offset_bytes, and both are the same memory where they are equally long.
struct Buffers {
  const void* send;
  void* recv;
};

/// True if the buffers lie so for this rank.
bool is_in_place(const Operation& operation, Buffers buffers, int rank);

/// Why no algorithm can run it in place; null where some can.
const char* why_not_in_place(Collective collective);

/// Names a started operation; counts from 1 in each communicator.
struct Ticket {
  std::uint64_t number = 0;
};

/// How an operation is carried out, in the words of what does it; empty where that does not tell.
struct Choice {
  std::string algorithm;  ///< "ring"
  std::string protocol;   ///< of NCCL: "LL128"
  std::optional<int> channels;
};

/// Of an operation on a device: how long the call took that started it, and how long the device was at it.
struct LaunchTimes {
  double issue_us, device_us;
};

/// A group of ranks that run collectives together. All start the same operations in the same order, like a stream;
/// communicators of one rank are independent of each other. Used by one thread at a time. Nothing
/// advances but within the calls below. Failures of peers are thrown as PeerLost, and end the communicator.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// What carries it out, e.g. "tcp" or "mpi".
  virtual std::string_view backend() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Where buffers of operations must lie.
  virtual Memory& memory() const = 0;

  /// Nothing if the operation can be started, or the reason why it cannot, in words.
  virtual std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const = 0;
  /// For a backend that finds out only by running an operation whether and how it can: runs it, unless it did before.
  /// Nothing if it can, or the reason why not, the same on all ranks. All ranks call it together.
  virtual std::optional<std::string> try_out(const Operation& operation, Buffers buffers, Clock::duration patience) = 0;
  /// What will run, or of such a backend what ran when it was tried out.
  virtual Choice choice_for(const Operation& operation, bool in_place) const = 0;
  /// Of the last run(); nothing on hosts.
  virtual std::optional<LaunchTimes> last_launch() const = 0;

  /// Memory that many operations will use, for a backend that is faster with it; to be forgotten before it is freed.
  virtual void keep(std::span<std::byte> memory) = 0;
  virtual void forget(std::span<std::byte> memory) = 0;

  /// The buffers must stay as they are until the ticket tests true.
  virtual Ticket start(const Operation& operation, Buffers buffers) = 0;
  virtual bool test(Ticket ticket) = 0;
  /// Throws TimedOut once nothing has moved for so long.
  virtual void wait(Ticket ticket, Clock::duration patience) = 0;
  /// Advances what has been started, without waiting.
  virtual void progress() = 0;
  /// start and wait in one; a backend that has a blocking call uses that, and bounds it as a whole.
  virtual void run(const Operation& operation, Buffers buffers, Clock::duration patience) = 0;
  /// The operation once on each of the buffers: back to back where it then runs without further calls, as on a device,
  /// and else one after the other.
  virtual void run_batch(const Operation& operation, std::span<const Buffers> buffers, Clock::duration patience);

  /// Every rank calls it, with the ranks of the group that it will belong to, ascending; groups do not overlap.
  virtual std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) = 0;
};

/// Keeps memory with a communicator for this object's lifetime; the communicator and the memory must outlive it.
class KeptMemory {
 public:
  KeptMemory(Communicator& communicator, std::span<std::byte> memory) : communicator_(communicator), memory_(memory) {
    communicator_.keep(memory_);
  }
  ~KeptMemory() { communicator_.forget(memory_); }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  Communicator& communicator_;
  std::span<std::byte> memory_;
};

}  // namespace ringmark
