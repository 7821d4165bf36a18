// Liveness check: finds the ranks that answer no one. If all other ranks are waiting too, these are the cause of a wait
// that took too long.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "transports/fabric/tcp/endpoint.hpp"

namespace ringmark {

struct Absence {
  int rank;           ///< in the whole run
  bool host_answers;  ///< its kernel does, so the process was stopped or is busy
};

/// Asks the members of a communicator to answer, and answers them meanwhile. A waiting rank answers immediately, so all
/// ranks that ask find the same absences, which are returned in rank order. The lowest ranks ask first, so that usually
/// not all ranks ask each other. Returns empty early once another rank has reported a loss.
std::vector<Absence> check_liveness(TcpEndpoint& endpoint, std::span<const int> members);

/// A description of the first absence, followed by a list of the other absent ranks.
std::string describe_absences(const TcpEndpoint& endpoint, const std::vector<Absence>& absences);

}  // namespace ringmark
