// An outgoing connection to another rank: connect, send the hello, wait for the welcome. It never blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "base/errors.hpp"
#include "base/system/file_descriptor.hpp"
#include "transports/fabric/tcp/address.hpp"
#include "transports/fabric/tcp/hello.hpp"
#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

/// No connection to a rank was established: nothing listens there, no packets get through, or something in between
/// rejects it.
class NoConnection final : public TransportError {
 public:
  NoConnection(int rank, const std::string& reason, bool was_refused)
      : TransportError(reason), rank_(rank), was_refused_(was_refused) {}

  int rank() const { return rank_; }
  /// A host answered that nothing listens on the port.
  bool was_refused() const { return was_refused_; }

 private:
  int rank_;
  bool was_refused_;
};

class ConnectionAttempt {
 public:
  struct Target {
    int rank;
    std::string host;
    SocketAddress address;
  };

  /// The traffic uses the interface of the address `from`; `text` follows the hello. Throws std::system_error,
  /// BadUsage, NoConnection.
  ConnectionAttempt(Target target, const InterfaceAddress& from, const TcpOptions& options, const Hello& hello,
                    const std::string& text, const RunToken& token);

  /// Continues as far as possible without waiting; returns the socket once the peer has answered. Throws NoConnection,
  /// and PeerLost if the other end closes the connection or is not part of this run.
  std::optional<FileDescriptor> advance();
  /// The peer's host has answered, if only to report that nothing listens there.
  bool was_answered() const { return was_answered_; }
  /// The socket and the event that it waits for.
  pollfd polled() const;

 private:
  [[noreturn]] void fail(std::string_view what) const;
  [[noreturn]] void fail_to_connect(int error) const;

  Target target_;
  RunToken token_;
  FileDescriptor fd_;
  std::string unsent_;  ///< hello and text
  Digest hello_;
  bool is_connected_ = false, was_answered_ = false;
  std::vector<unsigned char> answer_;
};

}  // namespace ringmark
