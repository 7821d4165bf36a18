// Finds out why a peer is silent: its host, the link to it, or this rank's own network.
#pragma once

#include <optional>
#include <string>

#include "transports/fabric/tcp/endpoint.hpp"

namespace ringmark {

/// Probes the peer's host, and asks a rank on each of a few other hosts whether it hears that host, so that all ranks
/// that notice the silence come to the same finding. Meanwhile it answers such questions of others. Takes `patience`,
/// or up to a second longer while a rank has yet to answer. Returns nothing if the host was heard after all, or if
/// another rank has told of a loss. `observed` describes the silence: "for 3.0 s, …".
std::optional<Loss> hold_inquest(TcpEndpoint& endpoint, int peer, const std::string& observed,
                                 Clock::duration patience);

}  // namespace ringmark
