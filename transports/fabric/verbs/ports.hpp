// This machine's RDMA ports, and the choice of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transports/fabric/verbs/driver.hpp"
#include "transports/fabric/verbs/options.hpp"
#include "transports/memory/memory.hpp"

namespace ringmark {

struct GidEntry {
  int index = 0;
  ibv::Gid gid{};
  std::string type;       ///< the kernel's text: "IB/RoCE v1" or "RoCE v2"; empty if unknown
  std::string interface;  ///< its network interface, e.g. "eth0"; empty on InfiniBand

  bool is_ipv4() const;
  std::string text() const;  ///< "10.0.0.1" or "fe80::1"
};

struct Port {
  std::string device;
  int number = 1;
  ibv::PortAttr attr{};
  std::string rate;  ///< the kernel's text: "100 Gb/sec (4X EDR)"
  std::vector<GidEntry> gids;
  int numa_distance = 0;  ///< from the memory, in the kernel's unit: 10 is the same node; 0 if unknown

  bool is_active() const { return attr.state == ibv::port_active; }
  bool is_ethernet() const { return attr.link_layer == ibv::link_layer_ethernet; }
  std::string name() const;  ///< "mlx5_0:1"
};

std::string_view state_name(ibv::PortState state);
std::string_view link_layer_name(std::uint8_t link_layer);
/// Bytes of a path MTU's code (1: 256 … 5: 4096), and the reverse.
int mtu_bytes(int code);
int mtu_code(int bytes);

/// All ports of all devices, sorted by name, with their distances from `memory`. Throws Unusable with reason and remedy
/// without a library or device.
std::vector<Port> verbs_ports(const VerbsDriver& driver, const Memory& memory = host_memory());

/// A few lines for --list; never throws.
std::string verbs_listing(const VerbsDriver& driver);

/// The port for the `local_rank`-th rank of its host. Throws BadUsage if the options name a missing device or request a
/// larger MTU, Unusable if no port is active; both list the existing ports.
const Port& choose_port(const std::vector<Port>& ports, const VerbsOptions& options, int local_rank);

/// On Ethernet the first RoCE v2 entry of the requested family, otherwise any RoCE v2 entry; on InfiniBand the first
/// entry. Throws Unusable if none exists, BadUsage if the options name a missing one.
const GidEntry& choose_gid(const Port& port, const VerbsOptions& options);

}  // namespace ringmark
