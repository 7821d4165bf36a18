// A fabric within one process, for tests: it buffers nothing, as the checker assumes, and injects faults on request.
// progress() of either end copies bytes directly from the sender's memory to the receiver's.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "transports/fabric/delivery.hpp"
#include "transports/fabric/fabric.hpp"

namespace ringmark {

struct MemoryFaults {
  std::uint32_t seed = 1;
  std::size_t most_bytes_at_once = SIZE_MAX;  ///< splits messages into pieces of random length up to this
  double idle_probability = 0;                ///< probability that a channel skips a turn, which delays and reorders
  struct Message {
    int from, to;
    std::uint64_t number;
  };
  std::optional<Message> flip;  ///< one bit of this message arrives inverted
  std::optional<Message> lose;  ///< this message is never delivered
};

class MemoryNetwork : public std::enable_shared_from_this<MemoryNetwork> {
 public:
  static std::shared_ptr<MemoryNetwork> create(int ranks, MemoryFaults faults = {});
  std::unique_ptr<Fabric> fabric(int rank);
  /// From now on `rank` neither sends nor receives, and the others are informed.
  void kill(int rank);
  /// Bytes that a rank has sent so far.
  std::size_t sent_bytes(int rank);

 private:
  friend class MemoryFabric;

  struct Channel {
    struct Outgoing {
      const std::byte* next;
      std::size_t missing;
    };
    std::deque<Outgoing> sends;
    std::deque<Delivery> receives;
    std::uint64_t posted_sends = 0, posted_receives = 0, sent = 0, received = 0;
    std::size_t bytes = 0;
  };

  MemoryNetwork(int ranks, const MemoryFaults& faults);
  Channel& channel(int from, int to);
  /// Moves one piece between two ranks, if both ends are ready.
  void move(int from, int to);

  int ranks_;
  MemoryFaults faults_;
  std::mt19937 random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Channel> channels_;
  std::vector<std::uint64_t> completed_;  ///< messages of each rank, sent and received
  std::optional<int> lost_;
  std::string lost_reason_;
  std::vector<std::pair<std::vector<int>, std::shared_ptr<MemoryNetwork>>> groups_;
};

}  // namespace ringmark
