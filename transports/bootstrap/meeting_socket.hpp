// The socket at which rank 0 waits for the others.
#pragma once

#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap/rendezvous.hpp"

namespace ringmark {

/// Listens, without blocking, at the first free one of the place's ports: on all addresses with a secret, and without
/// one only on the address that the host's name has. Throws BadUsage with the reason if it can at none.
FileDescriptor listen_for_ranks(const Rendezvous& place, bool has_secret);

}  // namespace ringmark
