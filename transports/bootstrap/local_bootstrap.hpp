// Ranks as forked processes of one program, without any launcher: for one node, for tests, and where there is no MPI.
#pragma once

#include <chrono>
#include <functional>

#include "transports/bootstrap.hpp"

namespace ringmark {

/// Forks `ranks` processes, runs body(bootstrap) in each, and returns the exit status all agree on: the largest that a
/// rank returned, or 3 if one was killed. The calling process only relays the ranks' exchanges, tells the others when
/// one dies, and ends them `grace` later if they do not end themselves. The ranks die with the caller.
/// Call it before any thread exists.
int run_local_ranks(int ranks, std::chrono::milliseconds timeout, const std::function<int(Bootstrap&)>& body,
                    std::chrono::milliseconds grace = std::chrono::seconds(10));

}  // namespace ringmark
