// Finds the ranks that answer nobody: the cause of a wait that was too long, where all others wait as well.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "transports/fabric/tcp/endpoint.hpp"

namespace ringmark {

struct Absence {
  int rank;           ///< in the whole run
  bool host_answers;  ///< its kernel does, so that the process was stopped or is busy
};

/// Asks the members of a communicator to answer, and answers them meanwhile. A rank that waits answers at once, and so
/// all that ask find the same absences, in the order of ranks. The lowest ranks ask first, so that many ranks need not
/// ask one another. Returns early, with nothing, once another rank has told of a loss.
std::vector<Absence> call_the_roll(TcpEndpoint& endpoint, std::span<const int> members);

/// Words for the first absence, with the ranks of the others.
std::string describe_absences(const TcpEndpoint& endpoint, const std::vector<Absence>& absences);

}  // namespace ringmark
