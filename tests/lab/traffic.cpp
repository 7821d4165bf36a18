#include "tests/lab/traffic.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"

namespace ringmark::lab {
namespace {

int receive(const std::string& port) {
  const FileDescriptor listener(check_sys(::socket(AF_INET6, SOCK_STREAM, 0), "make a socket"));  // takes IPv4 as well
  const int on = 1;  // the last receiver's connection may still be ending
  check_sys(::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "set SO_REUSEADDR");
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  check_sys(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), "bind to port {}", port);
  check_sys(::listen(listener.get(), 1), "listen");
  const FileDescriptor connection(check_sys(::accept(listener.get(), nullptr, nullptr), "accept"));
  std::vector<char> buffer(1 << 16);
  while (check_sys(::read(connection.get(), buffer.data(), buffer.size()), "receive") > 0) continue;
  check_sys(::write(connection.get(), "!", 1), "answer");
  return 0;
}

/// The receiver may still be starting.
FileDescriptor connect_patiently(const std::string& host, const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0)
    throw std::runtime_error(fmt::format("{}: {}", host, ::gai_strerror(error)));
  for (int i = 0; i < 1000; ++i) {
    FileDescriptor socket(check_sys(::socket(found->ai_family, SOCK_STREAM, 0), "make a socket"));
    if (::connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0) {
      ::freeaddrinfo(found);
      return socket;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw_errno(fmt::format("connect to {} port {}", host, port));
}

int send(const std::string& host, const std::string& port, std::size_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  const FileDescriptor socket = connect_patiently(host, port);
  const std::vector<char> buffer(1 << 16);
  while (bytes > 0)
    bytes -= static_cast<std::size_t>(
        check_sys(::write(socket.get(), buffer.data(), std::min(bytes, buffer.size())), "send"));
  check_sys(::shutdown(socket.get(), SHUT_WR), "end sending");
  char answer = 0;
  if (check_sys(::read(socket.get(), &answer, 1), "receive the answer") != 1) return 1;
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  fmt::print("{}\n", time.count());
  return 0;
}

}  // namespace

int run_traffic(const std::vector<std::string>& arguments) try {
  if (arguments.size() == 2 && arguments[0] == "receive") return receive(arguments[1]);
  if (arguments.size() == 4 && arguments[0] == "send")
    return send(arguments[1], arguments[2], std::stoul(arguments[3]));
  return 2;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}

}  // namespace ringmark::lab
