#include "transports/fabric/tcp/connection_attempt.hpp"

#include <array>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/system/check.hpp"
#include "transports/fabric/tcp/socket_options.hpp"

namespace ringmark {

ConnectionAttempt::ConnectionAttempt(Target target, const InterfaceAddress& from, const TcpOptions& options,
                                     const Hello& hello, const std::string& text, const RunToken& token)
    : target_(std::move(target)),
      token_(token),
      fd_(check_sys(::socket(from.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "create a socket")) {
  apply_options(fd_.get(), options, from.loopback);
  const auto own = SocketAddress::from(from.address, from.family, 0);
  check_sys(::bind(fd_.get(), own.get(), own.length), "send from {}", own.text());
  const auto& to = target_.address;
  if (::connect(fd_.get(), to.get(), to.length) != 0 && errno != EINPROGRESS) fail_to_connect(errno);
  unsent_ = write_hello(hello, text, token);
  const std::span<const unsigned char> bytes(reinterpret_cast<const unsigned char*>(unsent_.data()), unsent_.size());
  hello_ = proof_of(bytes, token).value();
}

void ConnectionAttempt::fail(std::string_view what) const {
  throw PeerLost(target_.rank, target_.host, fmt::format("{} at {}", what, target_.address.text()));
}

void ConnectionAttempt::fail_to_connect(int error) const {
  throw NoConnection(
      target_.rank,
      fmt::format("cannot connect to {} ({})", target_.address.text(), std::generic_category().message(error)),
      error == ECONNREFUSED);
}

std::optional<FileDescriptor> ConnectionAttempt::advance() {
  const int fd = fd_.get();
  if (!is_connected_) {
    pollfd writable{fd, POLLOUT, 0};
    if (::poll(&writable, 1, 0) <= 0) return std::nullopt;
    int error = 0;
    socklen_t length = sizeof error;
    check_sys(::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length), "read a socket's error");
    was_answered_ = error == 0 || error == ECONNREFUSED;
    if (error != 0) fail_to_connect(error);
    is_connected_ = true;
  }
  if (!unsent_.empty()) {
    const auto sent = ::send(fd, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) fail("it closed the connection");
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    if (!unsent_.empty()) return std::nullopt;
  }
  std::array<unsigned char, welcome_bytes> part;
  const auto received = ::recv(fd, part.data(), welcome_bytes - answer_.size(), 0);
  if (received == 0 || (received < 0 && !would_block())) fail("it closed the connection without an answer");
  if (received > 0) answer_.insert(answer_.end(), part.begin(), part.begin() + received);
  if (answer_.size() < welcome_bytes) return std::nullopt;
  if (!read_welcome(answer_, hello_, token_)) fail("a program that is not part of this run answered");
  return std::move(fd_);
}

pollfd ConnectionAttempt::polled() const {
  const bool writes = !is_connected_ || !unsent_.empty();
  return {fd_.get(), static_cast<short>(writes ? POLLOUT : POLLIN), 0};
}

}  // namespace ringmark
