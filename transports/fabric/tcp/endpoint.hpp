// A rank's presence on the network: one listening socket for the whole run, through which the others reach it, and the
// table of their addresses. Every connection begins with a hello (hello.hpp); a peer that does not know this run's
// token, repeats a hello, stays silent or sends anything else is disconnected without disturbing the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <poll.h>

#include "base/system/deadline.hpp"
#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap.hpp"
#include "transports/fabric/tcp/address.hpp"
#include "transports/fabric/tcp/connection_attempt.hpp"
#include "transports/fabric/tcp/hello.hpp"
#include "transports/fabric/tcp/host_probe.hpp"
#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

/// One of the connections between two ranks of a communicator.
struct ConnectionKey {
  int peer;  ///< rank in the whole run
  std::uint64_t communicator;
  int socket;
  auto operator<=>(const ConnectionKey&) const = default;
};

/// The text of a HelloKind::question.
std::string encode_question(int rank);

class TcpEndpoint {
 public:
  /// Agrees with the other ranks on addresses, ports and the token. Throws BadUsage if the options allow no common
  /// subnet.
  static std::shared_ptr<TcpEndpoint> create(Bootstrap& bootstrap, const TcpOptions& options);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  const TcpOptions& options() const { return options_; }
  /// The congestion control that the kernel uses for the connections.
  std::string congestion() const;
  const std::string& host(int rank) const { return peers_[static_cast<std::size_t>(rank)].host; }
  const std::string& interface() const { return own_.interface; }
  const SocketAddress& address(int rank) const { return peers_[static_cast<std::size_t>(rank)].address; }

  /// Connected, non-blocking sockets in the order of `links`. The lower of two ranks connects, the higher accepts.
  /// Sockets made before it throws are still returned. Throws NoConnection, PeerLost, LinkLost.
  void open(std::span<const ConnectionKey> links, Deadline deadline, std::vector<FileDescriptor>& sockets);

  /// Adds the sockets that serve() would check.
  void append_poll(std::vector<pollfd>& polled) const;
  /// Accepts and reads what has arrived on the listening socket and from peers that have not yet said hello, and
  /// answers their questions.
  void serve();
  /// Set once another rank, or the process that started this one, has reported a loss.
  const std::optional<Loss>& notice() const { return notice_; }
  /// Reports the loss to all other ranks in parallel; returns when they know or after a second. The lost rank is
  /// included only if it may still be running, as when it is merely late.
  void broadcast(const Loss& loss, bool may_be_there = false) noexcept;

  /// From now on, a loss concerns only the ranks that wait for the lost one: it is not reported to other ranks, and
  /// their reports are ignored.
  void keep_losses_apart() { losses_are_apart_ = true; }
  bool losses_are_apart() const { return losses_are_apart_; }

  /// Throws PeerLost or LinkLost.
  [[noreturn]] void throw_loss(const Loss& loss) const;
  /// Serves; if there is a notice, passes it on to ranks that may not have received it, and throws its loss.
  void throw_if_told();
  /// A connection to a rank's listening socket. Fills in the hello's ranks.
  ConnectionAttempt attempt(int peer, Hello hello, const std::string& text) const;

  /// An open connection of a fabric on this endpoint.
  struct Connection {
    int peer, fd;
    unsigned probed_transmissions = 0;  ///< transmissions of a stuck packet when its receiver was last probed
  };
  /// The connections of all fabrics, even of those that wait for nothing: all of their messages are in the kernel, but
  /// may not get through.
  std::vector<Connection>& connections() { return connections_; }

  int refused() const { return refused_; }

 private:
  struct Peer {
    std::string host;
    SocketAddress address;
  };
  /// A peer that has not yet sent a hello with this run's token.
  struct UnprovenConnection {
    FileDescriptor fd;
    std::string from;
    std::vector<unsigned char> bytes;
    std::optional<Hello> hello;
    Deadline deadline;
  };

  /// From a peer that asked whether this rank hears another one.
  struct Question {
    FileDescriptor fd;
    Digest proof;
    HostProbe probe;
    Deadline deadline;
  };

  TcpEndpoint(int rank, TcpOptions options) : rank_(rank), options_(std::move(options)) {}
  void listen();
  void accept_all();
  /// False if the connection no longer belongs to the unproven ones: it was refused, or has proven itself.
  bool hear(UnprovenConnection& connection);
  void take(UnprovenConnection& connection, std::string_view text, const Digest& proof);
  void answer_questions();
  void pass_on(const Loss& link) noexcept;
  void tell(const std::vector<int>& ranks, const Loss& loss) noexcept;
  void refuse(const UnprovenConnection& connection, std::string_view why);

  int rank_;
  TcpOptions options_;
  InterfaceAddress own_;
  FileDescriptor listener_;
  RunToken token_;
  std::set<Digest> seen_;  ///< digests of the accepted hellos
  std::vector<Peer> peers_;
  std::vector<UnprovenConnection> unproven_;
  std::vector<Question> questions_;
  std::map<ConnectionKey, FileDescriptor> accepted_;
  std::shared_ptr<LossNews> news_;
  std::optional<Loss> notice_;
  bool losses_are_apart_ = false;
  std::vector<Connection> connections_;
  int refused_ = 0;
};

}  // namespace ringmark
