#include "base/system/stalled_connections.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/files.hpp"
#include "base/text/with_count.hpp"

namespace ringmark {
namespace {

constexpr unsigned fewest_transmissions = 4;

std::string text_of(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(address, length, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "an unknown peer";
  return address->sa_family == AF_INET6 ? fmt::format("[{}]:{}", host.data(), port.data())
                                        : fmt::format("{}:{}", host.data(), port.data());
}

std::string peer_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  return ::getpeername(fd, any, &length) == 0 ? text_of(any, length) : "an unknown peer";
}

/// A line of /proc/net/tcp or tcp6: a connection of any process.
struct KernelConnection {
  std::string peer;
  unsigned unacknowledged_bytes = 0;
  unsigned times_sent = 0;
  std::string inode;
};

/// "0200000A:1388", where the address is in words of this machine's byte order.
std::string peer_in_hex(const std::string& text) {
  const auto colon = text.find(':');
  constexpr std::size_t word_digits = 8;
  sockaddr_in6 six{};
  sockaddr_in four{};
  six.sin6_family = AF_INET6;
  four.sin_family = AF_INET;
  auto* to = colon > word_digits ? reinterpret_cast<char*>(&six.sin6_addr) : reinterpret_cast<char*>(&four.sin_addr);
  for (std::size_t at = 0; at + word_digits <= colon && at < 4 * word_digits; at += word_digits) {
    const auto word = static_cast<std::uint32_t>(std::stoul(text.substr(at, word_digits), nullptr, 16));
    std::memcpy(to + at / 2, &word, sizeof word);
  }
  six.sin6_port = four.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1), nullptr, 16)));
  return colon > word_digits ? text_of(reinterpret_cast<const sockaddr*>(&six), sizeof six)
                             : text_of(reinterpret_cast<const sockaddr*>(&four), sizeof four);
}

std::vector<KernelConnection> stuck_in(const std::string& table) {
  std::vector<KernelConnection> stuck;
  std::istringstream lines(read_if_readable(table));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, own, peer, state, queues, timer, timeouts, user, probes, inode;
    if (!(words >> number >> own >> peer >> state >> queues >> timer >> timeouts >> user >> probes >> inode)) continue;
    constexpr auto established = "01";
    if (state != established || peer.find(':') == std::string::npos) continue;
    const auto times_sent = static_cast<unsigned>(std::stoul(timeouts, nullptr, 16)) + 1U;
    const auto unsent = static_cast<unsigned>(std::stoul(queues, nullptr, 16));
    if (unsent > 0 && times_sent >= fewest_transmissions)
      stuck.push_back({peer_in_hex(peer), unsent, times_sent, inode});
  }
  return stuck;
}

/// The parent's number and the name of a process.
std::pair<int, std::string> parent_and_name(int process) {
  const auto status = read_if_readable(fmt::format("/proc/{}/status", process));
  const auto value_of = [&](std::string_view key) {
    const auto at = status.find(key);
    return at == std::string::npos ? std::string()
                                   : status.substr(at + key.size(), status.find('\n', at) - at - key.size());
  };
  return {std::atoi(value_of("\nPPid:\t").c_str()), value_of("Name:\t")};
}

}  // namespace

std::optional<StuckStarter> stuck_starter() {
  auto stuck = stuck_in("/proc/self/net/tcp");
  for (auto& each : stuck_in("/proc/self/net/tcp6")) stuck.push_back(std::move(each));
  if (stuck.empty()) return std::nullopt;
  for (int process = ::getppid(); process > 1;) {
    const auto [parent, name] = parent_and_name(process);
    std::error_code unreadable;
    std::filesystem::directory_iterator entry(fmt::format("/proc/{}/fd", process), unreadable);
    for (; !unreadable && entry != std::filesystem::directory_iterator(); entry.increment(unreadable)) {
      std::error_code gone;
      const auto target = std::filesystem::read_symlink(entry->path(), gone).string();
      for (const auto& each : stuck) {
        if (target == fmt::format("socket:[{}]", each.inode))
          return StuckStarter{process, name, each.peer, each.unacknowledged_bytes, each.times_sent};
      }
    }
    process = parent;
  }
  return std::nullopt;
}

std::string in_words(const StuckStarter& starter) {
  return fmt::format(
      "{} (process {}), which started this one, sent {} bytes to {} {} times without an acknowledgment: if that host "
      "is reachable, check for a switch in between whose MTU is smaller than this host's",
      starter.name, starter.process, starter.unacknowledged_bytes, starter.peer, starter.times_sent);
}

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
