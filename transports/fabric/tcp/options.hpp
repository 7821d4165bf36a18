// The options of the TCP transport; each is set with --set tcp.NAME=VALUE.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/flags/option.hpp"
#include "base/memory_kind.hpp"
#include "base/transport.hpp"

namespace ringmark {

struct TcpOptions {
  static constexpr auto transport = Transport::tcp;

  std::string interface;  ///< name or subnet; empty: loopback on one node, otherwise the subnet that all nodes share
  std::string family = "any";
  int sockets = 1;
  std::size_t slice_bytes = 128 << 10;
  std::size_t crossover_bytes = 0;  ///< alpha / beta; 0: measured
  std::size_t burst_bytes = 512 << 10;
  std::size_t send_buffer_bytes = 0;  ///< 0: the kernel tunes it
  std::size_t receive_buffer_bytes = 0;
  std::size_t unsent_bytes = 128 << 10;
  std::string congestion;  ///< empty: the system's default, and reno on the loopback
  std::chrono::microseconds spin{50};
  std::chrono::microseconds busy_poll{0};
  std::string pin = "auto";
  std::chrono::milliseconds silence{3000};

  MemoryKind memory_kind() const { return MemoryKind::host; }
  /// Meaning, unit and range of each option, in the order of --list-options.
  static const OptionTable<TcpOptions>& table();
};

}  // namespace ringmark
