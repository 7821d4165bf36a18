// Liveness check: finds the ranks that answer no one, which is the cause of a wait that was too long when all others
// wait too.
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
/// that ask find the same absences, in rank order. The lowest ranks ask first, so that many ranks need not ask each
/// other. Returns empty early once another rank has reported a loss.
std::vector<Absence> call_the_roll(TcpEndpoint& endpoint, std::span<const int> members);

/// A description of the first absence, with the ranks of the others.
std::string describe_absences(const TcpEndpoint& endpoint, const std::vector<Absence>& absences);

}  // namespace ringmark
