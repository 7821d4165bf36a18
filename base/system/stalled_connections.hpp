// TCP connections of this process whose packets do not pass, those of other libraries included.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

struct StalledConnection {
  std::string peer;  ///< "10.0.0.1:5000" or "[fd00::1]:5000"
  unsigned packet_bytes = 0;
  unsigned times_sent = 0;  ///< of the oldest packet that is not acknowledged
};

/// Connections that have sent a packet at least four times in vain. From /proc; empty without it.
std::vector<StalledConnection> stalled_connections();

/// "packets of 8948 bytes to 10.0.0.1:5000 were sent 7 times and never acknowledged"; empty without any.
std::string in_words(const std::vector<StalledConnection>& stalled);

}  // namespace ringmark
