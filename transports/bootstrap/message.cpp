#include "transports/bootstrap/message.hpp"

#include <array>
#include <cstring>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"

namespace ringmark {
namespace {

struct Header {
  std::uint32_t kind;
  std::uint32_t length;
};

bool read_exactly(int fd, char* to, std::size_t bytes, Deadline deadline) {
  while (bytes > 0) {
    pollfd readable{fd, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.left()).count();
    if (retry_interrupted([&] { return ::poll(&readable, 1, static_cast<int>(left)); }) <= 0) return false;
    const auto received = retry_interrupted([&] { return ::recv(fd, to, bytes, 0); });
    if (received <= 0) return false;
    to += received;
    bytes -= static_cast<std::size_t>(received);
  }
  return true;
}

}  // namespace

void keep_alive(int fd) {
  constexpr int on = 1, idle_s = 10, interval_s = 5, probes = 4, unacknowledged_ms = 30'000;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms, sizeof unacknowledged_ms);
}

void keep_packets_small(int fd) {
  constexpr int least_mtu = 1280, headers = 60;  // IPv6's minimum MTU, and the headers of IPv6 and TCP
  constexpr int segment_bytes = least_mtu - headers;
  ::setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment_bytes, sizeof segment_bytes);
}

void send_message(int fd, MessageKind kind, std::string_view bytes) {
  const Header header{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(bytes.size())};
  std::string wire(reinterpret_cast<const char*>(&header), sizeof header);
  wire += bytes;
  std::string_view rest = wire;
  while (!rest.empty()) {
    const auto sent = check_sys(retry_interrupted([&] { return ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL); }),
                                "send to a rank");
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::optional<Message> receive_message(int fd, Deadline deadline, std::size_t most_bytes) {
  Header header;
  if (!read_exactly(fd, reinterpret_cast<char*>(&header), sizeof header, deadline)) return std::nullopt;
  if (header.length > most_bytes) return std::nullopt;
  Message message{static_cast<MessageKind>(header.kind), std::string(header.length, '\0')};
  if (!read_exactly(fd, message.bytes.data(), message.bytes.size(), deadline)) return std::nullopt;
  return message;
}

std::optional<Message> first_message(std::string_view bytes, std::size_t most_bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.length > most_bytes) throw TransportError("a message from an unknown peer is too long");
  if (bytes.size() < sizeof header + header.length) return std::nullopt;
  return Message{static_cast<MessageKind>(header.kind), std::string(bytes.substr(sizeof header, header.length))};
}

}  // namespace ringmark
