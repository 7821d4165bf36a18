#include "transports/fabric/tcp/stream.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/system/check.hpp"

namespace ringmark {
namespace {

constexpr std::size_t most_pieces = 64;

/// Bytes moved by a system call; 0 if the socket is not ready.
std::size_t checked(ssize_t result, std::string_view direction) {
  if (result >= 0) return static_cast<std::size_t>(result);
  if (would_block()) return 0;
  if (errno == ECONNRESET || errno == EPIPE) throw StreamBroken("it closed the connection");
  throw StreamBroken(fmt::format("{} failed: {}", direction, std::generic_category().message(errno)));
}

std::size_t checked_receive(ssize_t result) {
  if (result == 0) throw StreamBroken("it closed the connection");
  return checked(result, "receiving");
}

msghdr header_of(std::span<iovec> pieces) {
  msghdr header{};
  header.msg_iov = pieces.data();
  header.msg_iovlen = pieces.size();
  return header;
}

// send() is faster than sendmsg() for a single piece: the kernel need not fetch a message header.
ssize_t send_pieces(int fd, std::span<iovec> pieces) {
  constexpr int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  if (pieces.size() == 1) return ::send(fd, pieces[0].iov_base, pieces[0].iov_len, flags);
  const auto header = header_of(pieces);
  return ::sendmsg(fd, &header, flags);
}
ssize_t receive_pieces(int fd, std::span<iovec> pieces) {
  if (pieces.size() == 1) return ::recv(fd, pieces[0].iov_base, pieces[0].iov_len, MSG_DONTWAIT);
  auto header = header_of(pieces);
  return ::recvmsg(fd, &header, MSG_DONTWAIT);
}

}  // namespace

TcpStream::Moved TcpStream::pump(std::span<std::byte> bounce, std::size_t most) {
  Moved all;
  while (has_receives() && all.bytes < most) {
    const Moved in = receive_some(bounce, most - all.bytes);
    all.bytes += in.bytes;
    all.messages += in.messages;
    if (in.messages == 0) break;
  }
  const Moved out = has_sends() ? pump_sends(most) : Moved{};
  return {all.bytes + out.bytes, all.messages + out.messages};
}

TcpStream::Moved TcpStream::pump_sends(std::size_t most) {
  std::array<iovec, most_pieces> pieces;
  std::size_t count = 0;
  for (std::size_t room = most; room > 0 && count < std::min(sends_.size(), most_pieces); ++count) {
    const std::size_t bytes = std::min(room, sends_[count].size());
    pieces[count] = {const_cast<std::byte*>(sends_[count].data()), bytes};
    room -= bytes;
  }
  Moved moved;
  moved.bytes = checked(send_pieces(fd_.get(), {pieces.data(), count}), "sending");
  for (std::size_t left = moved.bytes; left > 0;) {
    auto& first = sends_.front();
    const std::size_t part = std::min(left, first.size());
    first = first.subspan(part);
    left -= part;
    if (!first.empty()) break;
    sends_.pop_front();
    ++moved.messages;
  }
  sent_ += moved.messages;
  is_blocked_ = has_sends();
  return moved;
}

TcpStream::Moved TcpStream::receive_some(std::span<std::byte> bounce, std::size_t most) {
  const Moved moved = receives_.front().reduces() ? receive_reduced(bounce) : receive_copies(most);
  received_ += moved.messages;
  return moved;
}

TcpStream::Moved TcpStream::receive_copies(std::size_t most) {
  std::array<iovec, most_pieces> pieces;
  std::size_t count = 0;
  for (std::size_t room = most;
       room > 0 && count < std::min(receives_.size(), most_pieces) && !receives_[count].reduces(); ++count) {
    const std::size_t bytes = std::min(room, receives_[count].missing());
    pieces[count] = {receives_[count].next(), bytes};
    room -= bytes;
  }
  Moved moved;
  moved.bytes = checked_receive(receive_pieces(fd_.get(), {pieces.data(), count}));
  for (std::size_t left = moved.bytes; left > 0;) {
    auto& first = receives_.front();
    const std::size_t part = std::min(left, first.missing());
    first.skip(part);
    left -= part;
    if (first.missing() > 0) break;
    receives_.pop_front();
    ++moved.messages;
  }
  return moved;
}

TcpStream::Moved TcpStream::receive_reduced(std::span<std::byte> bounce) {
  // Read to the end of the first message, or of several if they are short.
  std::size_t room = 0;
  for (std::size_t i = 0; room < most_joined_bytes && i < receives_.size() && receives_[i].reduces(); ++i) {
    room += receives_[i].missing();
  }
  Moved moved;
  moved.bytes = checked_receive(::recv(fd_.get(), bounce.data(), std::min(bounce.size(), room), MSG_DONTWAIT));
  for (std::size_t taken = 0; taken < moved.bytes;) {
    auto& first = receives_.front();
    const std::size_t part = std::min(moved.bytes - taken, first.missing());
    first.take(bounce.data() + taken, part);
    taken += part;
    if (first.missing() > 0) break;
    receives_.pop_front();
    ++moved.messages;
  }
  return moved;
}

}  // namespace ringmark
