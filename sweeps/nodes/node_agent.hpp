// A node of a sweep other than the first: it starts its ranks when the first one tells it to.
#pragma once

#include <chrono>

#include "transports/bootstrap/rendezvous.hpp"

namespace ringmark::sweep {

/// Serves until the sweep ends, and returns its exit status; 3 if the first node is lost. Throws TransportError or
/// BadUsage if the nodes do not meet, and Interrupted.
int serve_node(const Rendezvous& place, std::chrono::milliseconds timeout);

}  // namespace ringmark::sweep
