// The lab's network as a value: hosts, switches, and the links between them by name.
//
// A single switch is a bridge. A fabric has leaves and spines, which route: any two leaves have a path over each spine,
// and a hash of a connection's addresses and ports chooses among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "lab/hosts.hpp"
#include "lab/rate.hpp"

namespace ringmark::lab {

/// The last byte of an address is the host's number plus one.
constexpr int most_hosts = 250;
constexpr int most_leaves = 64, most_spines = 64, most_rails = 8;

struct FabricShape {
  int leaves = 0, spines = 0, hosts_per_leaf = 0;
  int rails = 1;  // NICs of each host; all connect to its leaf
  Rate uplink;
  std::map<std::string, Rate> link_rates{};  // of single links, by name

  int hosts() const { return leaves * hosts_per_leaf; }
};

struct Switch {
  std::string name;  // switch, leaf1, spine2
  pid_t holder = 0;
};

/// A device of a host or switch, named after the other end of its link.
struct End {
  bool is_host = false;
  std::size_t node = 0;
  std::string device;
};

struct Link {
  std::string name;         // host-2-e0, leaf1-spine2
  std::array<End, 2> ends;  // the lower one first: the host, the leaf
  Rate rate;
};

struct Network {
  int leaves = 0, spines = 0, rails = 1;  // leaves and spines 0: a single switch
  std::vector<Host> hosts;
  std::vector<Switch> switches;   // the leaves, then the spines
  std::vector<Link> links;        // those of the hosts in order, then the uplinks leaf by leaf
  std::uint32_t burst_bytes = 0;  // of every link; 0: the default for its rate

  bool is_fabric() const { return leaves > 0; }
  std::size_t hosts_per_leaf() const { return hosts.size() / static_cast<std::size_t>(leaves); }
  /// The numbers of switches and links.
  std::size_t leaf_of(const Host& host) const;
  std::size_t spine(std::size_t number) const { return static_cast<std::size_t>(leaves) + number; }
  std::size_t link_of(const Host& host, std::size_t rail) const;
  std::size_t uplink(std::size_t leaf, std::size_t spine) const;

  const std::string& name_of(const End& end) const;
  pid_t holder_of(const End& end) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Switch, name, holder)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(End, is_host, node, device)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Link, name, ends, rate)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Network, leaves, spines, rails, hosts, switches, links, burst_bytes)

/// The rates of shaped links for other programs, as JSON: each link with the hosts behind it. A host's NICs count as
/// one link, and so do a leaf's uplinks. Faults do not change it.
std::string stated_links(const Network& network);

/// Hosts, leaves, spines and rails for other programs, as JSON.
std::string stated_fabric(const Network& network);

/// `host_rates` is by host and overrides `rate`. No host or switch has a holder yet.
Network plan_switch(int hosts, Rate rate, const std::map<int, Rate>& host_rates);
Network plan_fabric(const FabricShape& shape, Rate rate, const std::map<int, Rate>& host_rates);

/// The numbers of the links that a name stands for: a single link, or all links of a host or switch. Empty for an
/// unknown name.
std::vector<std::size_t> find_links(const Network& network, std::string_view name);

/// For messages: "host-0-e0, …, leaf1-spine1, …; or all links of a host or switch: host-0, leaf1".
std::string link_names(const Network& network);

}  // namespace ringmark::lab
