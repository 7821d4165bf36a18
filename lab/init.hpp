// The init process of the lab's pid namespace: creates the hosts and starts the command; when it ends, everything in
// the lab is killed.
#pragma once

#include "base/system/file_descriptor.hpp"
#include "base/system/signal_queue.hpp"
#include "lab/network.hpp"
#include "lab/options.hpp"
#include "lab/topology.hpp"

namespace ringmark::lab {

struct InitArguments {
  const LabOptions& options;
  Network network;
  Topology& topology;
  const SignalQueue& signals;
  FileDescriptor control;  // StopRequests from the supervisor; closed when the supervisor dies
  bool shares_terminal;    // the command stays in the supervisor's process group
};

/// Returns the exit status; prints errors on stderr.
int run_init(InitArguments arguments);

}  // namespace ringmark::lab
