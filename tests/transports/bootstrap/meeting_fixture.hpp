// Ranks that meet at a free port of the loopback, for tests.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/exit_status.hpp"
#include "base/system/check.hpp"
#include "transports/bootstrap/rendezvous_bootstrap.hpp"

namespace ringmark::testing_support {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A socket that is bound to a port of the loopback, and the port.
struct Bound {
  FileDescriptor fd;
  std::uint16_t port = 0;
};

inline Bound bind_any() {
  Bound bound{FileDescriptor(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket")), 0};
  auto address = loopback(0);
  socklen_t length = sizeof address;
  check_sys(::bind(bound.fd.get(), reinterpret_cast<const sockaddr*>(&address), length), "bind");
  check_sys(::getsockname(bound.fd.get(), reinterpret_cast<sockaddr*>(&address), &length), "read the port");
  bound.port = ntohs(address.sin_port);
  return bound;
}

class Meeting : public testing::Test {
 protected:
  Rendezvous place(int rank, int ranks) const {
    return {.launcher = "test", .source = "the test", .host = "127.0.0.1", .port = port_, .rank = rank, .ranks = ranks};
  }

  /// Runs a rank in a thread for each body; answers each one's error, or "".
  static std::vector<std::string> errors(const std::vector<std::function<void()>>& ranks) {
    std::vector<std::string> texts(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          ranks[i]();
        } catch (const std::exception& error) {
          texts[i] = error.what();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    return texts;
  }

  std::function<void()> meet(const Rendezvous& place, const std::string& secret = "",
                             std::chrono::milliseconds timeout = std::chrono::milliseconds(20'000)) {
    return [=] { RendezvousBootstrap(place, secret, timeout).finish(exit_ok); };
  }

  std::uint16_t port_ = bind_any().port;
};

}  // namespace ringmark::testing_support
