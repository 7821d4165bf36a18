// The interface between measurements and the backends that run collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation.hpp"
#include "base/system/deadline.hpp"
#include "transports/memory/memory.hpp"

namespace ringmark {

/// The two buffers of an operation, with the lengths of layout_of. In place, the smaller buffer is inside the larger
/// one at in_place_offset_bytes; buffers of equal length are the same memory.
struct Buffers {
  const void* send;
  void* recv;
};

/// True if the buffers are in place for this rank.
bool is_in_place(const Operation& operation, Buffers buffers, int rank);

/// Identifies a started operation; counts from 1 in each communicator.
struct Ticket {
  std::uint64_t number = 0;
};

/// How an operation was carried out, in the backend's terms; empty if the backend does not report it.
struct Choice {
  std::string algorithm;  ///< "ring"
  std::string protocol;   ///< NCCL's, e.g. "LL128"
  std::optional<int> channels;
};

/// An algorithm that could be the fastest for an operation, with the time that a cost model expects.
struct Contender {
  std::string_view algorithm;  ///< refers to a static string
  double expected_us;
};

/// Times of an operation on a device: of the call that started it, and of the device's work.
struct LaunchTimes {
  double issue_us, device_us;
};

/// Additional calls of a communicator whose operations run on a device.
class DeviceOperations {
 public:
  /// Runs the operation, unless that has been done before: only a run shows whether and how the device can carry it
  /// out. Returns empty if the operation works, otherwise the reason why not, the same on all ranks. All ranks call it
  /// together.
  virtual std::optional<std::string> try_out(const Operation& operation, Buffers buffers, Clock::duration patience) = 0;
  /// Times of the last run(); empty before it.
  virtual std::optional<LaunchTimes> last_launch() const = 0;

 protected:
  ~DeviceOperations() = default;
};

/// A group of ranks that run collectives together. All start the same operations in the same order, like a stream;
/// communicators of one rank are independent of each other. Only one thread at a time may use it. Operations advance
/// only during the calls below. A failed peer throws PeerLost and ends the communicator.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Name of the backend, e.g. "tcp" or "mpi".
  virtual std::string_view backend() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The memory that operations' buffers must be in.
  virtual Memory& memory() const = 0;

  /// Empty if the operation can start, otherwise the reason why not.
  virtual std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const = 0;
  /// The choice for the next run; on a device, the choice in the trial run of the operation.
  virtual Choice choice_for(const Operation& operation, bool in_place) const = 0;
  /// The algorithms between which only timing can decide, in order of preference and the same on all ranks; empty if
  /// the choice is settled, or if a library makes it.
  virtual std::vector<Contender> contenders(const Operation& /*operation*/) const { return {}; }
  /// Settles the choice for operations like this one. All ranks call it with the same choice, with nothing in flight.
  virtual void settle(const Operation& /*operation*/, std::string_view /*algorithm*/) {}
  /// True if averages are exact only for a power-of-two number of ranks, because each rank multiplies by 1 / ranks
  /// before adding.
  virtual bool rounds_averages() const { return false; }
  /// Payload bytes that this rank sends in an operation to the peers for which `counts` is true; empty if a library
  /// decides.
  virtual std::optional<std::size_t> sent_bytes(const Operation& /*operation*/,
                                                const std::function<bool(int peer)>& /*counts*/) {
    return std::nullopt;
  }
  /// Null on hosts without device operations.
  virtual DeviceOperations* device() { return nullptr; }

  /// Announces memory that many operations will use, for backends that benefit from it. Call forget() before freeing
  /// it.
  virtual void keep(std::span<std::byte> memory) = 0;
  virtual void forget(std::span<std::byte> memory) = 0;

  /// The buffers must not change until the ticket tests true.
  virtual Ticket start(const Operation& operation, Buffers buffers) = 0;
  virtual bool test(Ticket ticket) = 0;
  /// Throws TimedOut if there is no progress for as long as `patience`.
  virtual void wait(Ticket ticket, Clock::duration patience) = 0;
  /// Advances started operations without waiting.
  virtual void progress() = 0;
  /// start() and wait() in one; a backend with a blocking call uses that, and `patience` then bounds the whole call.
  virtual void run(const Operation& operation, Buffers buffers, Clock::duration patience) = 0;
  /// Runs the operation once on each of the buffers: back to back if it advances without further calls, as on a device,
  /// otherwise one after another.
  virtual void run_batch(const Operation& operation, std::span<const Buffers> buffers, Clock::duration patience);

  /// Every rank calls it with the ranks of its own new group, in ascending order; groups do not overlap.
  virtual std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) = 0;
};

/// Registers memory with a communicator for the lifetime of this object; the communicator and the memory must outlive
/// it.
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
