// The first process of the lab's pid namespace: makes the hosts, starts the command, and takes everything down with it.
#pragma once

#include <vector>

#include "base/system/file_descriptor.hpp"
#include "base/system/signal_queue.hpp"
#include "lab/hosts.hpp"
#include "lab/options.hpp"
#include "lab/topology.hpp"

namespace ringmark::lab {

struct InitArguments {
  const RunOptions& options;
  std::vector<Host> hosts;
  const Topology& topology;
  const SignalQueue& signals;
  FileDescriptor control;  // StopRequests from the supervisor; closed when it is gone
  bool shares_terminal;    // the command stays in the supervisor's process group
};

/// Returns the exit status; says on stderr what went wrong, if anything.
int run_init(InitArguments arguments);

}  // namespace ringmark::lab
