// A host is a set of namespaces. A process that only sleeps, the holder, keeps them; others enter them through it.
#pragma once

#include <string>

#include <sys/types.h>

namespace ringmark::lab {

/// The bridge's side of the links: only a network namespace.
pid_t start_switch_holder();

/// Network, host name, System V shared memory and mounts of a host; its /sys shows its own network devices.
pid_t start_host_holder(const std::string& name);

/// Moves the calling process into a host, and stays in the same directory.
void enter_host(pid_t holder);

}  // namespace ringmark::lab
