#include "transports/bootstrap/socket_address.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include "base/errors.hpp"

namespace ringmark {

SocketAddress SocketAddress::from(std::string_view address, int family, std::uint16_t port) {
  SocketAddress result;
  const std::string text(address);
  if (family == AF_INET6) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    result.length = sizeof *v6;
    if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) return result;
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    result.length = sizeof *v4;
    if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) return result;
  }
  throw TransportError(fmt::format("'{}' is not an IP address", address));
}

std::uint16_t SocketAddress::port() const {
  return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                                             : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

std::string SocketAddress::host_text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const auto& v6 = reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr;
  if (storage.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, buffer.data(), buffer.size());
  } else if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    ::inet_ntop(AF_INET, &v6.s6_addr[12], buffer.data(), buffer.size());
  } else {
    ::inet_ntop(AF_INET6, &v6, buffer.data(), buffer.size());
  }
  return buffer.data();
}

std::string SocketAddress::text() const {
  const auto host = host_text();
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port())
                                             : fmt::format("[{}]:{}", host, port());
}

SocketAddress SocketAddress::any(int family) {
  SocketAddress any;
  any.storage.ss_family = static_cast<sa_family_t>(family);
  any.length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return any;
}

void SocketAddress::set_port(std::uint16_t port) {
  if (family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
  }
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
    SocketAddress address;
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
