// IP addresses with ports, as sockets use them, and the addresses of a host name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

namespace ringmark {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  /// Throws TransportError if the text is not an address of the family.
  static SocketAddress from(std::string_view address, int family, std::uint16_t port);
  /// All addresses of this host, IPv4 or IPv6.
  static SocketAddress any(int family);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  /// "10.0.0.1" or "fd00::1"; an IPv4-mapped IPv6 address is written as IPv4.
  std::string host_text() const;
  /// "10.0.0.1:5000" or "[fd00::1]:5000".
  std::string text() const;
};

struct Resolution {
  std::vector<SocketAddress> addresses;
  std::string problem;  ///< the resolver's message if there are none
};
Resolution resolve_host(const std::string& host, std::uint16_t port);

}  // namespace ringmark
