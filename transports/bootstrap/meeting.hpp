// The meeting of ranks at rank 0's host and port.
//
// Rank 0 listens and speaks first: it greets each connection with the name of its run and a random number. A peer that
// belongs to the run answers with its rank and a proof, the keyed digest of that number under the shared secret; rank 0
// accepts it with its own proof. An unknown peer that sends nothing or something else is disconnected after a few
// seconds, without disturbing the run. Each peer costs two messages. The bytes that follow on the connections are
// neither encrypted nor signed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap/rendezvous.hpp"

namespace ringmark {

/// Rank 0's side. Returns the connections by rank; rank 0's own is empty. Throws TransportError at the deadline, naming
/// the absent ranks, and BadUsage if two processes have the same rank, the numbers of ranks differ, or the port cannot
/// be used. Sends the reason to the ranks that are present.
std::vector<FileDescriptor> host_meeting(const Rendezvous& place, const std::string& secret,
                                         std::chrono::milliseconds timeout);

/// Another rank's connection to rank 0. Retries until the deadline, since rank 0 or its name may appear later. Throws
/// rank 0's refusal, or the last obstacle.
FileDescriptor join_meeting(const Rendezvous& place, const std::string& secret, std::chrono::milliseconds timeout);

}  // namespace ringmark
