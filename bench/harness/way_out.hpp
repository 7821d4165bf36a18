// The interface or port through which a rank's bytes leave its host, and its counters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/network.hpp"
#include "transports/fabric/verbs/ports.hpp"

namespace ringmark {

/// The counters are cumulative and include all traffic of the interface or port. They return nothing if the system has
/// no such counter.
struct WayOut {
  std::string name;                ///< e.g. "eth0" or "mlx5_0:1"
  std::optional<Network> network;  ///< the network behind it: tcp, roce or ib
  std::function<std::optional<std::uint64_t>()> sent_bytes = [] { return std::nullopt; };
  std::function<std::optional<std::uint64_t>()> retransmits = [] { return std::nullopt; };
  /// Other noteworthy events, the same on all ranks, and their counters; empty if there are none.
  std::vector<std::string> event_names = {};
  std::function<std::vector<std::uint64_t>()> events = {};
  std::optional<double> bits_per_s = std::nullopt;  ///< rate of the link behind it, if known
  bool is_certain = true;  ///< bytes between ranks go there even if too few were counted to prove it
};

/// One or several interfaces, counted together: "eth0+eth1".
WayOut way_out_over(const std::vector<std::string>& interfaces);
WayOut way_out_over(const Port& port, const GidEntry& gid);

}  // namespace ringmark
