// An outgoing connection to another rank: connect, send the hello, wait for the welcome. It never blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "base/system/file_descriptor.hpp"
#include "transports/fabric/tcp/address.hpp"
#include "transports/fabric/tcp/hello.hpp"
#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

class ConnectionAttempt {
 public:
  struct Target {
    int rank;
    std::string host;
    SocketAddress address;
  };

  /// The traffic takes the interface of the address `from`; `text` follows the hello. Throws std::system_error,
  /// BadUsage, PeerLost.
  ConnectionAttempt(Target target, const InterfaceAddress& from, const TcpOptions& options, const Hello& hello,
                    const std::string& text, const RunToken& token);

  /// Goes on as far as possible without waiting; returns the socket once the peer has answered. Throws PeerLost.
  std::optional<FileDescriptor> advance();
  /// The peer's host has answered, if only to say that nobody listens there.
  bool was_answered() const { return was_answered_; }
  /// The event that it waits for.
  pollfd polled() const;

 private:
  [[noreturn]] void fail(std::string_view what) const;

  Target target_;
  RunToken token_;
  FileDescriptor fd_;
  std::string unsent_;  ///< hello and text
  Digest hello_;
  bool is_connected_ = false, was_answered_ = false;
  std::vector<unsigned char> answer_;
};

}  // namespace ringmark
