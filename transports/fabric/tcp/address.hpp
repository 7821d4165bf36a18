// IP addresses of this host, and the choice of one for each rank so that all can reach each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

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

/// Of all interfaces that are up. Link-local IPv6 is left out, since it needs a scope to be reached.
std::vector<InterfaceAddress> local_addresses();

/// One text line each, for the exchange between ranks; read_addresses throws TransportError if it cannot be read.
std::string write_addresses(const std::vector<InterfaceAddress>& addresses);
std::vector<InterfaceAddress> read_addresses(std::string_view text);

/// True if the address lies in a subnet like "10.0.0.0/24" or "fd00::/8"; false also for text that is no subnet.
bool in_subnet(const InterfaceAddress& address, std::string_view subnet);

/// What the options admit on this host. Throws BadUsage if that is nothing, naming the option and what there is.
std::vector<InterfaceAddress> admitted(const std::vector<InterfaceAddress>& all, const TcpOptions& options);

/// What one rank brings to the choice.
struct RankAddresses {
  std::string host;
  std::vector<InterfaceAddress> addresses;
};
/// An address for each rank: loopback if all are on one host and nothing else was asked for; else from the first subnet
/// of rank 0 in which every rank has an address of its own (or a node's); else, if the options say where, the first
/// address there of each rank, which routers may lie between. Throws BadUsage if there is none.
std::vector<InterfaceAddress> choose_addresses(const std::vector<RankAddresses>& ranks, const TcpOptions& options);

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  static SocketAddress from(std::string_view address, int family, std::uint16_t port);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  std::uint16_t port() const;
  /// "10.0.0.1:5000" or "[fd00::1]:5000".
  std::string text() const;
};

}  // namespace ringmark
