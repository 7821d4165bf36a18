#include "transports/bootstrap/resolve.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

namespace ringmark {

void ResolvedAddress::set_port(std::uint16_t port) {
  if (family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
  }
}

std::string ResolvedAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getnameinfo(get(), length, host.data(), host.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "an unknown address";
  return family() == AF_INET6 ? fmt::format("[{}]:{}", host.data(), service.data())
                              : fmt::format("{}:{}", host.data(), service.data());
}

Resolution resolve_host(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    return {{}, error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error)};
  Resolution resolution;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    ResolvedAddress address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.length = each->ai_addrlen;
    address.set_port(port);
    resolution.addresses.push_back(address);
  }
  ::freeaddrinfo(found);
  if (resolution.addresses.empty()) resolution.problem = "it has no IP address";
  return resolution;
}

}  // namespace ringmark
