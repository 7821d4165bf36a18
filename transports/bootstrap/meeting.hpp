// The meeting of ranks at rank 0's host and port.
//
// Rank 0 listens and speaks first: it greets each connection with the name of its run and a random number. A guest that
// belongs to the run answers with its rank and a proof, the keyed digest of that number under the shared secret; rank 0
// accepts it with a proof of its own. A stranger that says nothing or something else loses its connection after a few
// seconds and disturbs nobody. Messages: two for each guest. The bytes that follow on the connections are neither
// encrypted nor signed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap/rendezvous.hpp"

namespace ringmark {

/// Rank 0's side. The connections by rank; rank 0's own is empty. Throws TransportError at the deadline, naming the
/// ranks that are absent, and BadUsage if two processes have one rank, the numbers of ranks differ, or the port cannot
/// be used. Those that are there are told the reason.
std::vector<FileDescriptor> host_meeting(const Rendezvous& place, const std::string& secret,
                                         std::chrono::milliseconds timeout);

/// The connection of another rank to rank 0. Tries again until the deadline, since rank 0 or its name may come later.
/// Throws the reason that rank 0 gave, or the last obstacle.
FileDescriptor join_meeting(const Rendezvous& place, const std::string& secret, std::chrono::milliseconds timeout);

}  // namespace ringmark
