// The process that the user sees: it starts the lab, forwards signals to it and returns its exit status.
#pragma once

#include "lab/options.hpp"

namespace ringmark::lab {

/// The supervisor's message to the lab: end, because of this signal.
struct StopRequest {
  int signal;
  bool command_has_it;
};

/// Checks all it can before it makes anything; returns the exit status. Call it before any thread exists.
int supervise(const LabOptions& options);

}  // namespace ringmark::lab
