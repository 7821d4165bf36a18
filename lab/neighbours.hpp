// The hosts' hardware addresses, told instead of asked for: the kernel has one table of neighbours for all its
// namespaces, and many hosts on one switch overflow it ("No route to host").
#pragma once

#include <string>

#include "lab/network.hpp"

namespace ringmark::lab {

/// True if what the hosts ask for would not fit: the kernel keeps 1024 (net.ipv4.neigh.default.gc_thresh3), and others
/// use them, too.
bool crowds_neighbour_table(const Network& network);

/// For ip -batch in the host: its own hardware address, and those of all others on its switch. The kernel does not
/// count addresses that it was told for good.
std::string neighbours_batch(const Network& network, const Host& host, bool has_ipv6);

}  // namespace ringmark::lab
