// The process that the user sees: starts the lab, forwards signals to it and returns its exit status.
#pragma once

#include "lab/options.hpp"

namespace ringmark::lab {

/// The supervisor's message to the lab: shut down because of this signal.
struct StopRequest {
  int signal;
  bool command_has_it;
};

/// Checks as much as possible before it creates anything; returns the exit status. Call before any thread exists.
int supervise(const LabOptions& options);

}  // namespace ringmark::lab
