// How a TCP socket of a run is set up.
#pragma once

#include <cerrno>

#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

/// Throws BadUsage where this kernel refuses what was asked for. `is_loopback`: the socket's traffic stays on this
/// host.
void apply_options(int fd, const TcpOptions& options, bool is_loopback);

/// After a call on a non-blocking socket that failed: whether it may succeed later.
inline bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace ringmark
