// TCP connections of this process whose packets do not get through, including those of other libraries.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringmark {

struct StalledConnection {
  std::string peer;  ///< "10.0.0.1:5000" or "[fd00::1]:5000"
  unsigned packet_bytes = 0;
  unsigned times_sent = 0;  ///< of the oldest unacknowledged packet
};

/// Connections that have sent a packet at least four times without acknowledgment. Reads /proc; empty without it.
std::vector<StalledConnection> stalled_connections();

/// A process that started this one, directly or indirectly, and whose connection is stuck. A launcher in that state
/// cannot start the ranks on the other host, and does not end by itself.
struct StuckStarter {
  int process = 0;
  std::string name;
  std::string peer;
  unsigned unacknowledged_bytes = 0;
  unsigned times_sent = 0;
};

/// The nearest such process. Empty without /proc.
std::optional<StuckStarter> stuck_starter();

/// "mpiexec, which started this process, sent 2935 bytes to 10.0.0.2:5000 6 times without an acknowledgment"
std::string in_words(const StuckStarter& starter);

/// "packets of 8948 bytes to 10.0.0.1:5000 were sent 7 times and never acknowledged"; empty if there are none.
std::string in_words(const std::vector<StalledConnection>& stalled);

}  // namespace ringmark
