// The socket where rank 0 waits for the others.
#pragma once

#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap/rendezvous.hpp"

namespace ringmark {

/// Listens on the first free port of the place, with a non-blocking socket: on all addresses if there is a secret,
/// otherwise only on the host name's address. Throws BadUsage with the reason if it cannot.
FileDescriptor listen_for_ranks(const Rendezvous& place, bool has_secret);

}  // namespace ringmark
