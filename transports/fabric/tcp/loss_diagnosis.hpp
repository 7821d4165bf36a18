// Loss diagnosis: finds out whether a peer's host, the link to it or this rank's own network makes a peer silent.
#pragma once

#include <optional>
#include <string>

#include "transports/fabric/tcp/endpoint.hpp"

namespace ringmark {

/// Probes the peer's host, and asks a rank on each of a few other hosts whether it hears that host, so that all ranks
/// that notice the silence reach the same conclusion. Meanwhile it answers such questions from others. Takes
/// `patience`, or up to a second longer while a rank has yet to answer. Returns empty if the host answers after all, or
/// if another rank has reported a loss. `observed` describes the silence: "for 3.0 s, …".
std::optional<Loss> diagnose_loss(TcpEndpoint& endpoint, int peer, const std::string& observed,
                                  Clock::duration patience);

}  // namespace ringmark
