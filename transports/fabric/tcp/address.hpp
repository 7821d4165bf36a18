// This host's IP addresses, and the choice of one per rank so that all ranks can reach each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "transports/bootstrap/socket_address.hpp"
#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

struct InterfaceAddress {
  std::string interface;
  std::string address;  ///< as text
  int family = 0;       ///< AF_INET or AF_INET6
  int prefix_bits = 0;
  bool loopback = false;

  bool operator==(const InterfaceAddress&) const = default;
};

/// Addresses of all interfaces that are up, except link-local IPv6, which can only be reached with a scope.
std::vector<InterfaceAddress> local_addresses();

/// False if the text is not an address of the family, or if the prefix is longer than an address.
bool is_valid(const InterfaceAddress& address);

/// True if the address is in a subnet like "10.0.0.0/24" or "fd00::/8"; false also if the text is not a subnet.
bool in_subnet(const InterfaceAddress& address, std::string_view subnet);

/// This host's addresses that the options allow. Throws BadUsage if there are none, naming the option and the existing
/// addresses.
std::vector<InterfaceAddress> admitted(const std::vector<InterfaceAddress>& all, const TcpOptions& options);

/// One rank's host and candidate addresses.
struct RankAddresses {
  std::string host;
  std::vector<InterfaceAddress> addresses;
};
/// Chooses an address for each rank. If the options list several interfaces, the ranks of a host use them in turn. If
/// all ranks are on one host and no option says otherwise, they use loopback. Otherwise they use the first subnet of
/// rank 0 in which every host has its own address. If there is none, and the options name an interface or subnet, each
/// rank uses its first address there; routers may be in between. Throws BadUsage if no choice is possible.
std::vector<InterfaceAddress> choose_addresses(const std::vector<RankAddresses>& ranks, const TcpOptions& options);

}  // namespace ringmark
