// Fabric over TCP sockets, with one or several connections to each peer that a schedule needs.
//
// A wait first polls the sockets for a while, yielding the core each time, and then blocks in poll(2), so that a host
// with more ranks than cores does not slow to a crawl. While it blocks or is polled, it checks for loss notices from
// other ranks, and that the peers' kernels still acknowledge.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transports/fabric/fabric.hpp"
#include "transports/fabric/tcp/endpoint.hpp"
#include "transports/fabric/tcp/stream.hpp"

namespace ringmark {

class TcpFabric final : public Fabric {
 public:
  /// Joins all ranks of the endpoint. `communicator` identifies the fabric among the endpoint's fabrics, and is the
  /// same on every rank.
  TcpFabric(const std::shared_ptr<TcpEndpoint>& endpoint, std::uint64_t communicator);
  /// Joins some ranks of the endpoint, renumbered in the order given, which must be the same on each of them.
  TcpFabric(std::shared_ptr<TcpEndpoint> endpoint, std::uint64_t communicator, std::span<const int> world_ranks);

  ~TcpFabric() override;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  std::string describe(int rank) const override;
  void connect(std::span<const int> peers, Deadline deadline) override;
  void keep(std::span<std::byte>) override {}
  void forget(std::span<std::byte>) override {}
  std::uint64_t send(int to, std::span<const std::byte> message) override;
  std::uint64_t send_with_next(int to, std::span<const std::byte> message) override;
  std::size_t most_joined_bytes() const override;
  std::uint64_t receive(int from, const Incoming& incoming) override;
  std::uint64_t sent(int to) const override;
  std::uint64_t received(int from) const override;
  void progress(Deadline until) override;
  void abort(int rank, const std::string& reason) noexcept override;
  [[noreturn]] void give_up(int awaited, const std::string& reason) override;
  std::unique_ptr<Fabric> split(std::span<const int> ranks) override { return split_tcp(ranks); }

  // For other kinds of fabrics that detect lost peers through a TcpFabric.

  std::unique_ptr<TcpFabric> split_tcp(std::span<const int> ranks);
  /// Adds the events to wait for; when one occurs, call check_peers().
  void append_poll(std::vector<pollfd>& polled) const;
  /// Throws PeerLost if a peer from which something is expected is lost or silent, or if another rank reported a loss.
  void check_peers();
  /// Tells all ranks that `rank` is lost, or finds that it exited because another rank was lost; throws PeerLost.
  [[noreturn]] void lose(int rank, const std::string& reason);

 private:
  struct Peer {
    int world_rank = 0;
    std::vector<TcpStream> streams;
    std::uint64_t posted_sends = 0, posted_receives = 0;
    bool active = false;        ///< listed in active_
    Clock::time_point heard{};  ///< when its host last answered a probe
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  void activate(int rank);
  TcpStream::Moved pump_all();
  void append_streams(std::vector<pollfd>& polled) const;
  void block(Deadline until);
  void check_silence();
  [[noreturn]] void tell(const Loss& loss);
  /// Throws PeerLost or LinkLost unless the peer's host is heard after all.
  void examine_silence(int rank, const std::string& observed, Clock::duration patience);
  /// Whether a rank or the path to it is to blame for a connection that could not be established.
  Loss loss_of(const NoConnection& failed) const;
  /// A connection to a peer on which packets do not get through.
  struct Stall {
    int peer;  ///< in the whole run
    unsigned packet_bytes, times_sent, path_mtu;
    bool is_lossy;  ///< other packets of that size got through, some of them after retransmissions
  };
  static std::optional<Stall> stall_of(const TcpEndpoint::Connection& connection);
  /// Throws LinkLost if packets of any fabric on the endpoint do not get through although the receiver's host answers.
  void look_for_stalls();
  /// Briefly waits for the host of a rank to answer a short message.
  bool answers(int world_rank) const;
  /// Finds a stalled connection whose peer's host still answers short messages; empty if there is none.
  std::optional<Stall> find_stall() const;
  std::string describe(const Stall& stall) const;
  std::string lossy_connections() const;
  Loss lost_link(int world_rank, const std::string& reason) const;

  std::shared_ptr<TcpEndpoint> endpoint_;
  std::uint64_t communicator_;
  std::uint64_t splits_ = 0;
  int rank_ = 0;
  std::vector<Peer> peers_;
  std::vector<int> active_;              ///< peers with something to send or to receive
  std::size_t sent_unlooked_ = 0;        ///< bytes sent since the last attempt to receive
  std::unique_ptr<std::byte[]> bounce_;  ///< untouched until a receive reduces
  std::vector<pollfd> polled_;
  static constexpr auto silence_check_interval = std::chrono::milliseconds(250);
  Clock::time_point next_silence_check_{};
};

}  // namespace ringmark
