// The process the user sees: starts the lab, passes signals on to it and gives back its exit status.
#pragma once

#include "lab/options.hpp"

namespace ringmark::lab {

/// What the supervisor tells the lab: end, because of this signal.
struct StopRequest {
  int signal;
  bool command_has_it;
};

/// Checks what it can before anything is made; returns the exit status. To be called before there is any thread.
int supervise(const RunOptions& options);

}  // namespace ringmark::lab
