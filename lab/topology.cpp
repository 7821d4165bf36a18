#include "lab/topology.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/system/deadline.hpp"
#include "lab/errors.hpp"
#include "lab/neighbours.hpp"
#include "lab/routes.hpp"
#include "lab/shaping.hpp"
#include "lab/tool.hpp"

namespace ringmark::lab {
namespace {

bool has_ipv6() { return ::access("/proc/sys/net/ipv6", F_OK) == 0; }

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// A change that needs netem.
bool needs_netem(const Change& change) {
  return std::holds_alternative<DelayChange>(change) || std::holds_alternative<CorruptionChange>(change);
}

bool loses(const Fault& fault) { return std::holds_alternative<LossChange>(fault.change); }

constexpr const char* look_closer = "--verbose shows the attempted steps";

}  // namespace

Topology::Topology(const Network& network, const std::vector<Fault>& faults, bool verbose)
    : ip_(find_network_tool("ip")), faults_(faults), verbose_(verbose) {
  for (const auto& link : network.links) states_.push_back({.rate = link.rate, .burst_bytes = network.burst_bytes});
  const auto is_shaped = [](const LinkState& state) { return state.rate.shaped(); };
  const auto shapes = [](const Fault& fault) {
    return !std::holds_alternative<LinkDown>(fault.change) && !std::holds_alternative<LinkUp>(fault.change);
  };
  if (std::any_of(states_.begin(), states_.end(), is_shaped) || std::any_of(faults.begin(), faults.end(), shapes))
    tc_ = find_network_tool("tc");
  loses_ = std::any_of(faults.begin(), faults.end(), loses);
}

void Topology::build(const Network& network) {
  const auto needs_it = [](const Fault& fault) { return loses(fault) || needs_netem(fault.change); };
  if (std::any_of(faults_.begin(), faults_.end(), needs_it)) probe_netem(network.switches.front().holder);
  if (loses_ && !has_netem_) nft_ = find_network_tool("nft");
  make_links(network);
  if (network.is_fabric()) {
    give_fabric_addresses(network);
  } else {
    give_bridge_addresses(network);
  }
  limit_segments(network);
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    shape(network, link, {}, states_[link]);
    if (!loses_) continue;
    const Step limit{ip_, "limit a link to single packets", "the kernel must support gso_max_segs for links"};
    for (const auto& end : network.links[link].ends)
      apply(limit, single_packets_batch(end.device), network.holder_of(end));
  }
  wait_for_links(network);
}

/// The kernel reports a carrier up to a second late, and MPI libraries refuse an interface without one.
void Topology::wait_for_links(const Network& network) const {
  const auto deadline = Deadline::after(std::chrono::seconds(5));
  for (const Host& host : network.hosts) {
    const auto is_waiting = [&] {
      return run_tool(ip_, {"-o", "link"}, "", host.holder).output.find("NO-CARRIER") != std::string::npos;
    };
    while (is_waiting() && !deadline.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Topology::probe_netem(pid_t where) {
  has_netem_ = run_tool(tc_, {"qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"}, "", where).succeeded;
  if (has_netem_) {
    run_tool(tc_, {"qdisc", "del", "dev", "lo", "root"}, "", where);
    return;
  }
  const auto refused =
      std::find_if(faults_.begin(), faults_.end(), [](const Fault& fault) { return needs_netem(fault.change); });
  if (refused != faults_.end())
    throw Unusable(
        fmt::format("--fault {}: {}: this kernel has no netem; load it (modprobe sch_netem), or run the lab "
                    "in a virtual machine whose kernel has it: ringmark-lab vm -- ringmark-lab run …",
                    refused->part, to_string(refused->change)));
}

void Topology::make_links(const Network& network) const {
  const Step step{ip_, "link hosts and switches", "the kernel needs virtual links: modprobe veth (CONFIG_VETH)"};
  // One batch for each switch or leaf, in whose namespace its links are created.
  for (std::size_t number = 0; number < network.switches.size(); ++number) {
    std::string batch;
    for (const auto& link : network.links) {
      const bool is_uplink = !link.ends[0].is_host;
      const auto &here = link.ends[is_uplink ? 0 : 1], &there = link.ends[is_uplink ? 1 : 0];
      // A path, because ip would interpret a bare number as a namespace name.
      if (here.node == number)
        batch += fmt::format("link add name {} type veth peer name {} netns /proc/{}/ns/net\n", here.device,
                             there.device, network.holder_of(there));
    }
    apply(step, batch, network.switches[number].holder);
  }
}

void Topology::give_bridge_addresses(const Network& network) const {
  const Step make_bridge{ip_, "create the bridge", "the kernel needs bridges: modprobe bridge (CONFIG_BRIDGE)"};
  const Step give_addresses{ip_, "give a host its addresses", look_closer};
  const Step tell_neighbours{ip_, "tell a host the hardware addresses of the others", look_closer};
  std::string bridge = "link add name bridge type bridge\nlink set dev bridge up\n";
  for (const auto& link : network.links)
    bridge += fmt::format("link set dev {} master bridge up\n", link.ends[1].device);
  apply(make_bridge, bridge, network.switches.front().holder);
  const bool ipv6 = has_ipv6();
  for (const Host& host : network.hosts) {
    const auto& nic = host.nics.front();
    auto batch = fmt::format("link set dev lo up\naddress add {}/24 dev {}\n", nic.address, nic.device);
    // Without nodad the address would be unusable for the first second or two.
    if (ipv6) batch += fmt::format("address add {}/64 dev {} nodad\n", nic.address6, nic.device);
    apply(give_addresses, batch + fmt::format("link set dev {} up\n", nic.device), host.holder);
    if (crowds_neighbour_table(network)) apply(tell_neighbours, neighbours_batch(network, host, ipv6), host.holder);
  }
}

void Topology::give_fabric_addresses(const Network& network) const {
  const Step give_addresses{ip_, "give addresses and routes",
                            "the kernel needs policy routes (CONFIG_IP_MULTIPLE_TABLES) for hosts with several rails"};
  for (std::size_t number = 0; number < network.switches.size(); ++number) {
    const auto leaves = static_cast<std::size_t>(network.leaves);
    apply(give_addresses,
          number < leaves ? leaf_addresses_batch(network, number) : spine_addresses_batch(network, number - leaves),
          network.switches[number].holder);
  }
  for (const Host& host : network.hosts) apply(give_addresses, fabric_host_batch(network, host), host.holder);
  route(network);
}

void Topology::route(const Network& network) const {
  const Step step{ip_, "route", "the kernel needs routes with several paths (CONFIG_IP_ROUTE_MULTIPATH)"};
  for (std::size_t number = 0; number < network.switches.size(); ++number) {
    const auto leaves = static_cast<std::size_t>(network.leaves);
    apply(step,
          number < leaves ? leaf_routes_batch(network, number, states_)
                          : spine_routes_batch(network, number - leaves, states_),
          network.switches[number].holder);
  }
}

/// Covers the rates set by faults too.
void Topology::limit_segments(const Network& network) const {
  const Step step{ip_, "limit what hosts hand over at once", "the kernel must support gso_max_size for links"};
  auto states = states_;
  for (const auto& fault : faults_)
    states.push_back(LinkState{.rate = {}, .burst_bytes = network.burst_bytes}.after(fault.change));
  const auto most_bytes = most_segment_bytes(states);
  if (most_bytes >= unlimited_segment_bytes) return;
  for (const Host& host : network.hosts) {
    std::string batch;
    for (const auto& nic : host.nics) batch += segment_batch(nic.device, most_bytes);
    apply(step, batch, host.holder);
  }
}

void Topology::shape(const Network& network, std::size_t link, const LinkState& before, const LinkState& state) const {
  const Step shape{tc_, "shape a link",
                   "the kernel needs tbf: modprobe sch_tbf (CONFIG_NET_SCH_TBF), or leave out rates"};
  const Step lose{nft_, "drop packets of a link",
                  "the kernel needs nftables with its netdev family (CONFIG_NF_TABLES_NETDEV, CONFIG_NFT_NUMGEN)",
                  "-f"};
  for (const auto& end : network.links[link].ends) {
    apply(shape, shaping_batch(end.device, before, state, has_netem_), network.holder_of(end));
    if (!has_netem_ && before.loss_percent != state.loss_percent)
      apply(lose, loss_rules(end.device, state.loss_percent), network.holder_of(end));
  }
}

void Topology::change(const Network& network, const std::vector<std::size_t>& links, const Change& change) {
  const Step turn{ip_, "take a link down or up", look_closer};
  bool turned = false;
  for (const auto link : links) {
    const auto before = std::exchange(states_[link], states_[link].after(change));
    const auto& state = states_[link];
    shape(network, link, before, state);
    if (before.is_up == state.is_up) continue;
    turned = true;
    // As if the cable were pulled: the device at the other end loses its carrier.
    const auto& end = network.links[link].ends[network.links[link].ends[0].is_host ? 1 : 0];
    apply(turn, fmt::format("link set dev {} {}\n", end.device, state.is_up ? "up" : "down"), network.holder_of(end));
  }
  if (turned && network.is_fabric()) route(network);
}

void Topology::apply(const Step& step, const std::string& batch, pid_t where) const {
  if (batch.empty()) return;
  if (verbose_) fmt::print(stderr, "ringmark-lab: {} in /proc/{}/ns/net:\n{}", step.tool, where, batch);
  const ToolResult result = run_tool(step.tool, {step.batch_flag, "-"}, batch, where);
  if (!result.succeeded)
    throw Unusable(fmt::format("cannot {}: {} says: {}; {}", step.aim, step.tool, trimmed(result.output), step.remedy));
}

}  // namespace ringmark::lab
