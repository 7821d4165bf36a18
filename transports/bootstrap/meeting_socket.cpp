#include "transports/bootstrap/meeting_socket.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/socket_address.hpp"

namespace ringmark {
namespace {

/// A listening socket at the address, or an empty one with errno set.
FileDescriptor listen_at(const SocketAddress& address) {
  FileDescriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return {};
  const int on = 1, off = 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  keep_packets_small(fd.get());
  if (address.family() == AF_INET6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd.get(), address.get(), address.length) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) return {};
  return fd;
}

[[noreturn]] void throw_cannot_listen(const Rendezvous& place, int error) {
  if (error == EADDRNOTAVAIL)
    throw BadUsage(
        fmt::format("{}: {} is not an address of {}, where rank 0 runs; give rank 0's host, or set "
                    "RINGMARK_TOKEN to let rank 0 listen on all of its addresses",
                    place.source, place.host, host_name()));
  if (error == EADDRINUSE)
    throw BadUsage(
        fmt::format("{}: port {} of {} is in use, by another process or a second rank 0; give another "
                    "port",
                    place.source, place.port, host_name()));
  throw BadUsage(fmt::format("{}: cannot listen on port {}: {}", place.source, place.port, std::strerror(error)));
}

}  // namespace

FileDescriptor listen_for_ranks(const Rendezvous& place, bool has_secret) {
  auto resolution = resolve_host(place.host, place.port);
  if (resolution.addresses.empty() && !has_secret)
    throw BadUsage(fmt::format("{}: the host name {} does not resolve on rank 0 ({})", place.source, place.host,
                               resolution.problem));
  if (has_secret) resolution.addresses = {SocketAddress::any(AF_INET6), SocketAddress::any(AF_INET)};
  int error = 0;
  for (int i = 0; i < place.ports; ++i) {
    for (auto& address : resolution.addresses) {
      address.set_port(static_cast<std::uint16_t>(place.port + i));
      auto listener = listen_at(address);
      if (listener) return listener;
      if (error != EADDRINUSE) error = errno;
    }
  }
  throw_cannot_listen(place, error);
}

}  // namespace ringmark
