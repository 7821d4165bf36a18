// Checks whether the host of a rank can be reached. Its kernel answers, however busy the rank is.
#pragma once

#include <functional>
#include <vector>

#include "base/system/deadline.hpp"
#include "transports/fabric/tcp/connection_attempt.hpp"

namespace ringmark {

class HostProbe {
 public:
  using Connect = std::function<ConnectionAttempt()>;
  explicit HostProbe(Connect connect) : connect_(std::move(connect)) {}

  /// Continues without waiting, and opens a new connection from time to time, since packets may be lost. True once the
  /// host has answered one.
  bool advance();
  void append_poll(std::vector<pollfd>& polled) const;

 private:
  Connect connect_;
  std::vector<ConnectionAttempt> attempts_;
  Deadline next_attempt_ = Deadline::now();
};

}  // namespace ringmark
