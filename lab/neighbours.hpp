// The hosts' hardware addresses, set statically instead of resolved: the kernel has one neighbour table for all its
// namespaces, and many hosts on one switch overflow it ("No route to host").
#pragma once

#include <string>

#include "lab/network.hpp"

namespace ringmark::lab {

/// True if the entries of all hosts would not fit: the kernel keeps 1024 (net.ipv4.neigh.default.gc_thresh3), and other
/// processes use them too.
bool crowds_neighbour_table(const Network& network);

/// For ip -batch in the host: its own hardware address, and those of all others on its switch. The kernel does not
/// count permanent entries.
std::string neighbours_batch(const Network& network, const Host& host, bool has_ipv6);

}  // namespace ringmark::lab
