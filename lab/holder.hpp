// A host is a set of namespaces. The holder, a process that only sleeps, keeps them alive; others enter through it.
#pragma once

#include <string>

#include <sys/types.h>

namespace ringmark::lab {

/// Starts the holder of a switch, which has only a network namespace. With `routes` it forwards packets, choosing among
/// several paths by addresses and ports.
pid_t start_switch_holder(const std::string& name, bool routes);

/// Starts the holder of a host, with its own network, host name, System V shared memory and mounts; its /sys shows its
/// own network devices.
pid_t start_host_holder(const std::string& name);

/// Moves the calling process into a host; the working directory stays the same.
void enter_host(pid_t holder);

}  // namespace ringmark::lab
