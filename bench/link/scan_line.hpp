// Messages of any length between rank 0 of a scan and another rank, over their own connections: a lost rank breaks only
// its own line.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {

class ScanLine {
 public:
  /// Both ends create one at the same time; one of them is rank 0. Throws PeerLost.
  ScanLine(const std::shared_ptr<TcpEndpoint>& endpoint, int peer, std::chrono::milliseconds timeout);

  /// Throws PeerLost, or TimedOut if the other end does not accept the message in time.
  void send(std::string_view message);
  /// The next message, if it has arrived; does not block. Throws PeerLost.
  std::optional<std::string> look();
  /// The next message, however long it takes while the other end is alive. Throws PeerLost.
  std::string wait();
  /// Adds what to wait for before the next look(), including what the endpoint waits for.
  void append_poll(std::vector<pollfd>& polled) const { fabric_->append_poll(polled); }

 private:
  void move(Deadline until);

  std::chrono::milliseconds timeout_;
  int peer_;  ///< its rank in the two-rank fabric
  std::unique_ptr<TcpFabric> fabric_;
  std::uint64_t length_ = 0, awaited_ = 0;  ///< awaited_: number of the awaited message in the fabric, 0 if none
  bool has_length_ = false;
  std::string bytes_;
};

}  // namespace ringmark
