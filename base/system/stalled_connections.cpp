#include "base/system/stalled_connections.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/with_count.hpp"

namespace ringmark {
namespace {

constexpr unsigned fewest_transmissions = 4;

std::string peer_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getpeername(fd, any, &length) != 0 || ::getnameinfo(any, length, host.data(), host.size(), port.data(),
                                                            port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "an unknown peer";
  return address.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host.data(), port.data())
                                       : fmt::format("{}:{}", host.data(), port.data());
}

}  // namespace

std::vector<StalledConnection> stalled_connections() {
  std::vector<StalledConnection> stalled;
  std::error_code unreadable;
  std::filesystem::directory_iterator entry("/proc/self/fd", unreadable);
  for (; !unreadable && entry != std::filesystem::directory_iterator(); entry.increment(unreadable)) {
    const auto name = entry->path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    tcp_info info{};
    socklen_t length = sizeof info;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) continue;
    const auto times_sent = info.tcpi_retransmits + 1U;
    if (info.tcpi_unacked > 0 && times_sent >= fewest_transmissions)
      stalled.push_back({peer_of(fd), info.tcpi_snd_mss, times_sent});
  }
  return stalled;
}

std::string in_words(const std::vector<StalledConnection>& stalled) {
  if (stalled.empty()) return "";
  const auto& first = stalled.front();
  auto text = fmt::format("packets of {} bytes to {} were sent {} times and never acknowledged", first.packet_bytes,
                          first.peer, first.times_sent);
  if (const auto others = stalled.size() - 1; others > 0)
    text +=
        fmt::format(", and {} {} stuck as well", with_count(others, "other connection"), others == 1 ? "is" : "are");
  return text;
}

}  // namespace ringmark
