// A libibverbs of its own: queue pairs within this process, whose requests an engine thread carries out a little later
// and in an order that only queue pairs keep. It is stricter than hardware: a receiver that is not ready, a key that
// does not fit or an address out of bounds is an error at once. For faults that no network can be asked for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "transports/fabric/verbs/driver.hpp"

namespace ringmark::testing_support {

struct FakePort {
  std::string device = "fake0";
  ibv::PortState state = ibv::port_active;
  ibv::LinkLayer link_layer = ibv::link_layer_ethernet;
  int mtu_code = 5;
  /// type and address of each GID, e.g. {"RoCE v2", "10.0.0.1"}
  std::vector<std::pair<std::string, std::string>> gids{
      {"IB/RoCE v1", "10.9.0.1"}, {"RoCE v2", "fe80::1"}, {"RoCE v2", "10.9.0.1"}};
};

struct FakeFaults {
  std::set<std::string> failing_calls;  ///< e.g. "ibv_reg_mr": returns its error, with ENOMEM
  /// The n-th request that is carried out ends with this status instead.
  std::optional<std::pair<std::uint64_t, ibv::WcStatus>> bad_completion;
  int unanswered = 0;     ///< as often no neighbour answers for a peer's address
  int most_delay_us = 0;  ///< before a request is carried out, at random
  std::uint32_t most_inline = 128;
};

/// Memory that is not where its address says, and how the adapter comes to it.
struct FakeReach {
  std::function<std::byte*(const void* address)> reach = [](const void* address) {
    return static_cast<std::byte*>(const_cast<void*>(address));
  };
  std::function<bool(int fd, const void* address)> is_dma_buf_of = [](int, const void*) { return false; };
  bool takes_dma_bufs = true;
  bool peers = false;  ///< nvidia_peermem is loaded
};

/// One at a time: libibverbs' functions have no argument that could tell several apart.
class FakeVerbs {
 public:
  FakeVerbs(std::vector<FakePort> ports, FakeFaults faults, FakeReach reach = {});
  ~FakeVerbs();
  FakeVerbs(const FakeVerbs&) = delete;
  FakeVerbs& operator=(const FakeVerbs&) = delete;

  const VerbsDriver& driver() const { return driver_; }
  /// Memory, queues and queue pairs that nobody has given back.
  int objects() const { return objects_; }
  int registrations() const { return registrations_; }
  int dma_bufs() const { return dma_bufs_; }

 private:
  friend struct FakeCalls;
  struct Channel;
  struct Queue;
  struct Pair;
  struct Request;
  struct FakeDevice;
  struct FakeContext;

  bool fails(const char* call) const;
  void engine();
  void carry_out(Pair& pair);
  void complete(Queue& queue, const ibv::Wc& completion, std::size_t retires = 0);
  void write_sysfs(const std::vector<FakePort>& ports);

  std::vector<FakePort> ports_;
  FakeFaults faults_;
  std::atomic<int> unanswered_{faults_.unanswered};
  FakeReach reach_;
  VerbsApi api_{};
  VerbsDriver driver_;
  std::vector<std::unique_ptr<FakeDevice>> devices_;

  std::mutex mutex_;
  std::condition_variable work_;
  bool ends_ = false;
  std::mt19937 random_{1};
  std::map<std::uint32_t, Pair*> pairs_;
  std::map<std::uint32_t, ibv::Mr*> memory_;  ///< by rkey, which is lkey
  std::vector<Pair*> busy_;
  std::uint32_t next_number_ = 1;
  std::uint64_t carried_out_ = 0;
  int objects_ = 0, registrations_ = 0, dma_bufs_ = 0;
  std::thread engine_;
};

}  // namespace ringmark::testing_support
