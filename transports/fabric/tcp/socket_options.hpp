// Sets up a run's TCP sockets.
#pragma once

#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

/// Throws BadUsage if this kernel refuses an option, or would silently reduce its value. `is_loopback`: the socket's
/// traffic stays on this host.
void apply_options(int fd, const TcpOptions& options, bool is_loopback);

}  // namespace ringmark
