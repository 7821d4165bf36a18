// Ranks as forked processes of one program, without a launcher: for a single node, for tests, and if MPI is missing.
#pragma once

#include <chrono>
#include <functional>

#include "base/errors.hpp"
#include "transports/bootstrap.hpp"

namespace ringmark {

/// The maximum time for which ranks continue after one has died.
constexpr std::chrono::milliseconds usual_grace = std::chrono::seconds(10);

/// Forks `ranks` processes, runs body(bootstrap) in each, and returns the largest exit status of a rank, or 3 if a rank
/// was killed. The calling process only relays the ranks' exchanges; when a rank dies, it tells the others and kills
/// those still running after `grace`. The ranks die with the caller. `on_loss` receives the first rank that exited
/// without reporting why. Call before any thread exists.
int run_local_ranks(int ranks, std::chrono::milliseconds timeout, const std::function<int(Bootstrap&)>& body,
                    std::function<void(const PeerLost&)> on_loss = {}, std::chrono::milliseconds grace = usual_grace);

}  // namespace ringmark
