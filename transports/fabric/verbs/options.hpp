// The options of the verbs transport; each is set with --set verbs.NAME=VALUE.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/flags/option.hpp"
#include "base/memory_kind.hpp"
#include "base/transport.hpp"

namespace ringmark {

struct VerbsOptions {
  static constexpr auto transport = Transport::verbs;

  std::string device;            ///< "mlx5_0", "mlx5_0:1" or "numa"; empty: by local rank among the active ports
  std::optional<int> gid_index;  ///< empty: the RoCE v2 GID that matches gid_family
  std::string gid_family = "ipv4";
  MemoryKind memory = MemoryKind::host;
  int queue_pairs = 1;
  std::size_t slice_bytes = 128 << 10;
  std::size_t crossover_bytes = 0;  ///< alpha / beta; 0: measured
  std::size_t eager_bytes = 4 << 10;
  std::size_t slot_bytes = 128 << 10;
  int mtu_bytes = 0;  ///< 0: the smaller of the two ports' MTUs
  int service_level = 0;
  int traffic_class = 0;
  int hop_limit = 64;
  /// 4.096 µs × 2^n. One second, as in UCX and NCCL: a needless retransmission costs more than waiting.
  int timeout_exponent = 18;
  int retry_count = 7;
  int rnr_retry = 7;
  int rnr_timer = 12;                             ///< index into the specification's table: 0.64 ms
  std::optional<std::chrono::microseconds> spin;  ///< empty: depends on the host's ranks per core

  MemoryKind memory_kind() const { return memory; }
  /// Meaning, unit and range of each option, in the order of --list-options.
  static const OptionTable<VerbsOptions>& table();
};

}  // namespace ringmark
