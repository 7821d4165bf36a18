#include "transports/fabric/tcp/socket_options.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/files.hpp"

namespace ringmark {
namespace {

template <class Value>
void set_option(int fd, int level, int option, Value value, std::string_view name) {
  check_sys(::setsockopt(fd, level, option, &value, sizeof value), "set {} to {}", name, value);
}

/// Congestion control without pacing. Every kernel has it; failure to set it is ignored.
constexpr std::string_view unpaced = "reno";

/// The kernel silently limits buffer sizes, so check the result. CAP_NET_ADMIN (outside a user namespace) may exceed
/// the limit.
void set_buffer(int fd, int option, int forced, std::size_t bytes, std::string_view name, std::string_view limit) {
  const int wanted = static_cast<int>(bytes);
  if (::setsockopt(fd, SOL_SOCKET, forced, &wanted, sizeof wanted) == 0) return;
  set_option(fd, SOL_SOCKET, option, wanted, name);
  int doubled = 0;  // the kernel doubles the size for its own needs
  socklen_t length = sizeof doubled;
  check_sys(::getsockopt(fd, SOL_SOCKET, option, &doubled, &length), "read {}", name);
  if (doubled / 2 < wanted)
    throw BadUsage(fmt::format("--set {}={}: this kernel allows only {}; raise {}, or start with CAP_NET_ADMIN", name,
                               wanted, doubled / 2, limit));
}

}  // namespace

void apply_options(int fd, const TcpOptions& options, bool is_loopback) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (options.send_buffer_bytes > 0) {
    set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, options.send_buffer_bytes, "tcp.send_buffer", "net.core.wmem_max");
  }
  if (options.receive_buffer_bytes > 0) {
    set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, options.receive_buffer_bytes, "tcp.receive_buffer", "net.core.rmem_max");
  }
  if (options.unsent_bytes > 0) {
    set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, static_cast<unsigned>(options.unsent_bytes), "TCP_NOTSENT_LOWAT");
  }
  const int busy_poll_us = static_cast<int>(options.busy_poll.count());
  if (busy_poll_us > 0 && ::setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &busy_poll_us, sizeof busy_poll_us) != 0) {
    throw BadUsage(
        fmt::format("--set tcp.busy_poll={}: the kernel refuses it ({}); start as root, or set net.core.busy_read",
                    busy_poll_us, std::generic_category().message(errno)));
  }
  if (!options.congestion.empty() && ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, options.congestion.data(),
                                                  static_cast<socklen_t>(options.congestion.size())) != 0) {
    throw BadUsage(fmt::format("--set tcp.congestion={}: this kernel supports only {}", options.congestion,
                               read_text_if_readable("/proc/sys/net/ipv4/tcp_available_congestion_control")));
  }
  // A system default that paces, like bbr, would slow down loopback traffic with its timer.
  if (options.congestion.empty() && is_loopback)
    ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, unpaced.data(), static_cast<socklen_t>(unpaced.size()));
  // Keep-alive probes find a silent peer while no data is in flight; otherwise TcpFabric does.
  // They give up later than TcpFabric, so that it decides.
  const int seconds = std::max(1, static_cast<int>(options.silence.count() / 3000));
  const int probes = static_cast<int>(options.silence.count() / 1000 / seconds) + 2;
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1, "SO_KEEPALIVE");
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds, "TCP_KEEPIDLE");
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, seconds, "TCP_KEEPINTVL");
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, probes, "TCP_KEEPCNT");
}

}  // namespace ringmark
