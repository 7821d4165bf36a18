#include "lab/network.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark::lab {
namespace {

Rate rate_of(int host, Rate rate, const std::map<int, Rate>& host_rates) {
  const auto own = host_rates.find(host);
  return own == host_rates.end() ? rate : own->second;
}

std::string host_name(int index) { return fmt::format("host-{}", index); }

}  // namespace

std::size_t Network::leaf_of(const Host& host) const {
  return is_fabric() ? static_cast<std::size_t>(host.index) / hosts_per_leaf() : 0;
}

std::size_t Network::link_of(const Host& host, std::size_t rail) const {
  return static_cast<std::size_t>(host.index) * static_cast<std::size_t>(rails) + rail;
}

std::size_t Network::uplink(std::size_t leaf, std::size_t spine) const {
  return hosts.size() * static_cast<std::size_t>(rails) + leaf * static_cast<std::size_t>(spines) + spine;
}

const std::string& Network::name_of(const End& end) const {
  return end.is_host ? hosts[end.node].name : switches[end.node].name;
}

pid_t Network::holder_of(const End& end) const {
  return end.is_host ? hosts[end.node].holder : switches[end.node].holder;
}

Network plan_switch(int hosts, Rate rate, const std::map<int, Rate>& host_rates) {
  Network network;
  network.switches.push_back({"switch"});
  for (int i = 0; i < hosts; ++i) {
    const auto own = rate_of(i, rate, host_rates);
    const Nic nic{"e0", fmt::format("10.77.0.{}", i + 1), fmt::format("fd77::{}", i + 1)};
    network.hosts.push_back({i, host_name(i), own, {nic}});
    const End host{true, static_cast<std::size_t>(i), nic.device}, port{false, 0, fmt::format("port{}", i)};
    network.links.push_back({host_name(i) + "-e0", {host, port}, own});
  }
  return network;
}

Network plan_fabric(const FabricShape& shape, Rate rate, const std::map<int, Rate>& host_rates) {
  Network network;
  network.leaves = shape.leaves;
  network.spines = shape.spines;
  network.rails = shape.rails;
  for (int leaf = 1; leaf <= shape.leaves; ++leaf) network.switches.push_back({fmt::format("leaf{}", leaf)});
  for (int spine = 1; spine <= shape.spines; ++spine) network.switches.push_back({fmt::format("spine{}", spine)});
  const auto link = [&](std::string name, End lower, End upper, Rate usual) {
    const auto own = shape.link_rates.find(name);
    network.links.push_back(
        {std::move(name), {std::move(lower), std::move(upper)}, own == shape.link_rates.end() ? usual : own->second});
  };
  for (int i = 0; i < shape.hosts(); ++i) {
    const int leaf = i / shape.hosts_per_leaf, place = i % shape.hosts_per_leaf;
    Host host{i, host_name(i), rate_of(i, rate, host_rates), {}};
    for (int rail = 0; rail < shape.rails; ++rail) {
      const Nic nic{fmt::format("e{}", rail), fmt::format("10.{}.{}.{}", leaf + 1, rail, place + 1), ""};
      link(fmt::format("{}-{}", host.name, nic.device), {true, static_cast<std::size_t>(i), nic.device},
           {false, static_cast<std::size_t>(leaf), fmt::format("h{}{}", i, nic.device)}, host.rate);
      host.nics.push_back(nic);
    }
    network.hosts.push_back(std::move(host));
  }
  for (std::size_t leaf = 0; leaf < static_cast<std::size_t>(shape.leaves); ++leaf) {
    for (std::size_t spine = 0; spine < static_cast<std::size_t>(shape.spines); ++spine) {
      const auto &below = network.switches[leaf].name, &above = network.switches[network.spine(spine)].name;
      link(below + "-" + above, {false, leaf, above}, {false, network.spine(spine), below}, shape.uplink);
    }
  }
  return network;
}

std::vector<std::size_t> find_links(const Network& network, std::string_view name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const auto& link = network.links[i];
    const auto is_end = [&](const End& end) { return network.name_of(end) == name; };
    if (link.name == name || std::any_of(link.ends.begin(), link.ends.end(), is_end)) found.push_back(i);
  }
  return found;
}

std::string link_names(const Network& network) {
  constexpr std::size_t most = 6;
  const auto some = [](std::vector<std::string> names) {
    if (names.size() > most) {
      names[most - 2] = "…";
      names[most - 1] = names.back();
      names.resize(most);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  };
  std::vector<std::string> hosts, uplinks;
  for (const auto& link : network.links) (link.ends[0].is_host ? hosts : uplinks).push_back(link.name);
  auto text = some(hosts);
  if (!uplinks.empty()) text += ", " + some(uplinks);
  return text + fmt::format("; or all links of a host or switch: {}, {}", network.hosts.front().name,
                            network.switches.front().name);
}

std::string stated_links(const Network& network) {
  auto stated = nlohmann::json::array();
  const auto add = [&](const std::string& name, const std::vector<std::string>& hosts, std::uint64_t rate) {
    if (rate > 0) stated.push_back({{"name", name}, {"hosts", hosts}, {"bits_per_s", rate}});
  };
  for (const auto& host : network.hosts) add(host.name, {host.name}, host.rate.bits_per_second * host.nics.size());
  for (std::size_t leaf = 0; leaf < static_cast<std::size_t>(network.leaves); ++leaf) {
    std::vector<std::string> hosts;
    for (const auto& host : network.hosts) {
      if (network.leaf_of(host) == leaf) hosts.push_back(host.name);
    }
    std::uint64_t rate = 0;
    bool all_shaped = true;
    for (std::size_t spine = 0; spine < static_cast<std::size_t>(network.spines); ++spine) {
      const auto uplink = network.links[network.uplink(leaf, spine)].rate;
      rate += uplink.bits_per_second;
      all_shaped = all_shaped && uplink.shaped();
    }
    if (all_shaped) add(network.switches[leaf].name, hosts, rate);
  }
  return stated.dump();
}

std::string stated_fabric(const Network& network) {
  auto hosts = nlohmann::ordered_json::array(), leaves = nlohmann::ordered_json::object();
  for (const auto& host : network.hosts) {
    hosts.push_back(host.name);
    if (network.is_fabric()) leaves[network.switches[network.leaf_of(host)].name].push_back(host.name);
  }
  return nlohmann::ordered_json{
      {"hosts", hosts}, {"leaves", leaves}, {"spines", network.spines}, {"rails", network.rails}}
      .dump();
}

}  // namespace ringmark::lab
