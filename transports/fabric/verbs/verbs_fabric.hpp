// Fabric over reliable-connected queue pairs, on InfiniBand and RoCE.
//
// Each peer also has a TCP connection (the side), over which the two ends exchange their connection cards. That
// connection also detects a peer that dies or falls silent, which a queue pair notices only when it has something to
// send.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transports/fabric/fabric.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/fabric/verbs/channel.hpp"

namespace ringmark {

class VerbsFabric final : public Fabric {
 public:
  /// Has the same ranks as `side`, with the same numbers.
  VerbsFabric(std::shared_ptr<VerbsDevice> device, std::unique_ptr<TcpFabric> side, const VerbsOptions& options);
  ~VerbsFabric() override;

  int rank() const override { return side_->rank(); }
  int size() const override { return side_->size(); }
  std::string describe(int rank) const override { return side_->describe(rank); }
  Memory& memory() const override { return device_->memory(); }
  void connect(std::span<const int> peers, Deadline deadline) override;
  void keep(std::span<std::byte> memory) override { device_->keep(memory); }
  void forget(std::span<std::byte> memory) override { device_->forget(memory); }
  std::uint64_t send(int to, std::span<const std::byte> message) override;
  std::uint64_t receive(int from, const Incoming& incoming) override;
  std::uint64_t sent(int to) const override;
  std::uint64_t received(int from) const override;
  void progress(Deadline until) override;
  void abort(int rank, const std::string& reason) noexcept override {
    broken_ = true;
    side_->abort(rank, reason);
  }
  [[noreturn]] void give_up(int awaited, const std::string& reason) override {
    broken_ = true;
    side_->give_up(awaited, reason);
  }
  std::unique_ptr<Fabric> split(std::span<const int> ranks) override;

 private:
  struct Peer {
    std::vector<std::unique_ptr<VerbsChannel>> channels;
    std::uint64_t posted_sends = 0, posted_receives = 0;
    bool active = false;  ///< listed in active_
    bool gone = false;    ///< it has left in an orderly way; errors of its channels no longer matter
    std::byte farewell{};
    std::uint64_t farewell_number = 0;  ///< number of the farewell among its messages on the side
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  void connect_fresh(std::span<const int> fresh, Deadline deadline);
  void advance(Deadline until);
  void activate(int rank);
  std::size_t pump_all(bool& moved);
  /// Sleeps until something may have happened, unless there is already work; returns how many messages completed.
  std::size_t block(Deadline until);
  void exchange(std::span<const int> peers, std::span<const std::byte> ours, std::span<std::byte> theirs,
                std::size_t bytes_each, Deadline deadline);
  bool has_left(int rank);
  [[noreturn]] void fail(int rank, ibv::WcStatus status);
  /// Throws PeerLost, naming this rank, if its port is not active.
  void check_port();

  std::shared_ptr<VerbsDevice> device_;
  std::unique_ptr<TcpFabric> side_;
  VerbsOptions options_;
  VerbsPtr<ibv::CompChannel> events_;
  std::vector<Peer> peers_;
  std::vector<int> active_;  ///< peers with something to send or to receive
  std::vector<pollfd> polled_;
  Clock::time_point next_check_{};
  bool broken_ = false;  ///< an exception was thrown, so this rank will not leave in an orderly way
};

}  // namespace ringmark
