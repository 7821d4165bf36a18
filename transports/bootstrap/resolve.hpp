// Socket addresses of a host's name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/socket.h>

namespace ringmark {

struct ResolvedAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  void set_port(std::uint16_t port);
  std::string text() const;  ///< "10.0.0.1:5000" or "[fd00::1]:5000"
};

struct Resolution {
  std::vector<ResolvedAddress> addresses;
  std::string problem;  ///< the resolver's words if there are none
};
Resolution resolve_host(const std::string& host, std::uint16_t port);

}  // namespace ringmark
