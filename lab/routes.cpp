#include "lab/routes.hpp"

#include <fmt/format.h>

namespace ringmark::lab {
namespace {

/// The addresses of both ends of an uplink.
std::string leaf_address(std::size_t leaf, std::size_t spine) {
  return fmt::format("172.31.{}.{}", leaf + 1, 2 * spine);
}
std::string spine_address(std::size_t leaf, std::size_t spine) {
  return fmt::format("172.31.{}.{}", leaf + 1, 2 * spine + 1);
}

/// The leaf's end of a rail, for all its hosts.
std::string gateway(std::size_t leaf, std::size_t rail) { return fmt::format("10.{}.{}.254", leaf + 1, rail); }

std::string subnet(std::size_t leaf) { return fmt::format("10.{}.0.0/16", leaf + 1); }

template <class Visit>
void for_hosts_of(const Network& network, std::size_t leaf, Visit visit) {
  const auto hosts = network.hosts_per_leaf();
  for (std::size_t i = leaf * hosts; i < (leaf + 1) * hosts; ++i) {
    for (std::size_t rail = 0; rail < network.hosts[i].nics.size(); ++rail) visit(network.hosts[i], rail);
  }
}

std::size_t number(int count) { return static_cast<std::size_t>(count); }

}  // namespace

std::string fabric_host_batch(const Network& network, const Host& host) {
  const auto leaf = network.leaf_of(host);
  std::string batch = "link set dev lo up\n";
  for (const auto& nic : host.nics)
    batch +=
        fmt::format("address add {}/8 dev {} noprefixroute\nlink set dev {} up\n", nic.address, nic.device, nic.device);
  for (std::size_t rail = 0; rail < host.nics.size(); ++rail) {
    const auto& nic = host.nics[rail];
    const auto way = fmt::format("via {} dev {} onlink src {}", gateway(leaf, rail), nic.device, nic.address);
    // A packet that has no source address yet goes to a rail's addresses over the same rail.
    if (rail == 0) batch += fmt::format("route add 10.0.0.0/8 {}\n", way);
    for (std::size_t other = 0; rail > 0 && other < number(network.leaves); ++other)
      batch += fmt::format("route add 10.{}.{}.0/24 {}\n", other + 1, rail, way);
    if (host.nics.size() == 1) continue;
    const auto table = 100 + rail;
    batch += fmt::format("route add 10.0.0.0/8 {} table {}\n", way, table);
    batch += fmt::format("rule add from {} table {}\n", nic.address, table);
  }
  return batch;
}

std::string leaf_addresses_batch(const Network& network, std::size_t leaf) {
  std::string batch = "link set dev lo up\n";
  for_hosts_of(network, leaf, [&](const Host& host, std::size_t rail) {
    const auto& device = network.links[network.link_of(host, rail)].ends[1].device;
    batch += fmt::format("address add {}/32 dev {}\nlink set dev {} up\n", gateway(leaf, rail), device, device);
  });
  for (std::size_t spine = 0; spine < number(network.spines); ++spine) {
    const auto& device = network.links[network.uplink(leaf, spine)].ends[0].device;
    batch += fmt::format("address add {}/31 dev {}\nlink set dev {} up\n", leaf_address(leaf, spine), device, device);
  }
  return batch;
}

std::string spine_addresses_batch(const Network& network, std::size_t spine) {
  std::string batch = "link set dev lo up\n";
  for (std::size_t leaf = 0; leaf < number(network.leaves); ++leaf) {
    const auto& device = network.links[network.uplink(leaf, spine)].ends[1].device;
    batch += fmt::format("address add {}/31 dev {}\nlink set dev {} up\n", spine_address(leaf, spine), device, device);
  }
  return batch;
}

std::string leaf_routes_batch(const Network& network, std::size_t leaf, const std::vector<LinkState>& states) {
  std::string batch;
  for_hosts_of(network, leaf, [&](const Host& host, std::size_t rail) {
    const auto link = network.link_of(host, rail);
    if (states[link].is_up)
      batch += fmt::format("route replace {}/32 dev {}\n", host.nics[rail].address, network.links[link].ends[1].device);
  });
  for (std::size_t other = 0; other < number(network.leaves); ++other) {
    if (other == leaf) continue;
    std::string ways;
    for (std::size_t spine = 0; spine < number(network.spines); ++spine) {
      const auto up = network.uplink(leaf, spine), down = network.uplink(other, spine);
      if (!states[up].is_up || !states[down].is_up) continue;
      ways += fmt::format(" nexthop via {} dev {}", spine_address(leaf, spine), network.links[up].ends[0].device);
    }
    batch += ways.empty() ? fmt::format("route replace unreachable {}\n", subnet(other))
                          : fmt::format("route replace {}{}\n", subnet(other), ways);
  }
  return batch;
}

std::string spine_routes_batch(const Network& network, std::size_t spine, const std::vector<LinkState>& states) {
  std::string batch;
  for (std::size_t leaf = 0; leaf < number(network.leaves); ++leaf) {
    const auto link = network.uplink(leaf, spine);
    batch += states[link].is_up ? fmt::format("route replace {} via {} dev {}\n", subnet(leaf),
                                              leaf_address(leaf, spine), network.links[link].ends[1].device)
                                : fmt::format("route replace unreachable {}\n", subnet(leaf));
  }
  return batch;
}

}  // namespace ringmark::lab
