#include "tests/nvidia/star_bootstrap.hpp"

#include <map>
#include <mutex>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/system/check.hpp"

namespace ringmark::fake {
namespace {

std::mutex mutex;
std::map<std::uint16_t, FileDescriptor> listeners;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void send_all(int fd, const void* from, std::size_t bytes) {
  for (std::size_t sent = 0; sent < bytes;) {
    sent += static_cast<std::size_t>(check_sys(
        ::send(fd, static_cast<const char*>(from) + sent, bytes - sent, MSG_NOSIGNAL), "send to a rank of fake NCCL"));
  }
}

void receive_all(int fd, void* to, std::size_t bytes) {
  for (std::size_t got = 0; got < bytes;) {
    const auto part = check_sys(::recv(fd, static_cast<char*>(to) + got, bytes - got, 0), "recv from fake NCCL");
    if (part == 0) throw_errno("a rank of fake NCCL is gone", ECONNRESET);
    got += static_cast<std::size_t>(part);
  }
}

void send_text(int fd, const std::string& text) {
  const std::uint64_t size = text.size();
  send_all(fd, &size, sizeof size);
  send_all(fd, text.data(), text.size());
}

std::string receive_text(int fd) {
  std::uint64_t size = 0;
  receive_all(fd, &size, sizeof size);
  std::string text(size, '\0');
  receive_all(fd, text.data(), size);
  return text;
}

}  // namespace

std::uint16_t StarBootstrap::listen() {
  FileDescriptor fd(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket of fake NCCL"));
  auto address = loopback(0);
  socklen_t length = sizeof address;
  check_sys(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length), "bind of fake NCCL");
  check_sys(::listen(fd.get(), 64), "listen of fake NCCL");
  check_sys(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length), "getsockname of fake NCCL");
  const auto port = ntohs(address.sin_port);
  const std::lock_guard lock(mutex);
  listeners[port] = std::move(fd);
  return port;
}

StarBootstrap::StarBootstrap(std::uint16_t port, int rank, int size) : rank_(rank), size_(size) {
  if (rank == 0) {
    FileDescriptor listener;
    {
      const std::lock_guard lock(mutex);
      listener = std::move(listeners.at(port));
    }
    sockets_.resize(static_cast<std::size_t>(size));
    for (int other = 1; other < size; ++other) {
      FileDescriptor fd(check_sys(::accept(listener.get(), nullptr, nullptr), "accept of fake NCCL"));
      int who = 0;
      receive_all(fd.get(), &who, sizeof who);
      sockets_[static_cast<std::size_t>(who)] = std::move(fd);
    }
  } else {
    sockets_.emplace_back(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket of fake NCCL"));
    const auto address = loopback(port);
    check_sys(::connect(sockets_[0].get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              "connect to rank 0 of fake NCCL");
    send_all(sockets_[0].get(), &rank, sizeof rank);
  }
}

std::vector<std::string> StarBootstrap::all_gather(std::string_view mine) {
  std::vector<std::string> all(static_cast<std::size_t>(size_));
  if (rank_ == 0) {
    all[0] = mine;
    for (std::size_t other = 1; other < all.size(); ++other) all[other] = receive_text(sockets_[other].get());
    for (std::size_t other = 1; other < all.size(); ++other) {
      for (const auto& text : all) send_text(sockets_[other].get(), text);
    }
  } else {
    send_text(sockets_[0].get(), std::string(mine));
    for (auto& text : all) text = receive_text(sockets_[0].get());
  }
  return all;
}

}  // namespace ringmark::fake
