// How a TCP socket of a run is set up.
#pragma once

#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

/// Throws BadUsage where this kernel refuses an option, or would do less than it says. `is_loopback`: the socket's
/// traffic stays on this host.
void apply_options(int fd, const TcpOptions& options, bool is_loopback);

}  // namespace ringmark
