#include "lab/topology.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "lab/errors.hpp"
#include "lab/tool.hpp"

namespace ringmark::lab {
namespace {

std::string port(const Host& host) { return fmt::format("port{}", host.index); }

std::string shaping_line(const std::string& device, Rate rate) {
  if (!rate.shaped()) return {};
  return fmt::format("qdisc add dev {} root tbf rate {} burst {}b latency 20ms\n", device, to_string(rate),
                     burst_bytes);
}

bool has_ipv6() { return ::access("/proc/sys/net/ipv6", F_OK) == 0; }

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string bridge_batch() {
  return "link add name bridge type bridge\n"
         "link set dev bridge up\n";
}

std::string links_batch(const std::vector<Host>& hosts) {
  std::string batch;
  for (const Host& host : hosts) {
    // A path, because ip would first take a bare number for the name of a namespace.
    batch += fmt::format("link add name {} type veth peer name e0 netns /proc/{}/ns/net\n", port(host), host.holder);
    batch += fmt::format("link set dev {} master bridge up\n", port(host));
  }
  return batch;
}

std::string addresses_batch(const Host& host, bool ipv6) {
  std::string batch = "link set dev lo up\n";
  batch += fmt::format("address add {}/24 dev e0\n", host.address);
  // Without nodad the address would be unusable for the first second or two.
  if (ipv6) batch += fmt::format("address add {}/64 dev e0 nodad\n", host.address6);
  return batch + "link set dev e0 up\n";
}

std::string bridge_shaping_batch(const std::vector<Host>& hosts) {
  std::string batch;
  for (const Host& host : hosts) batch += shaping_line(port(host), host.rate);
  return batch;
}

std::string host_shaping_batch(const Host& host) { return shaping_line("e0", host.rate); }

Topology::Topology(const std::vector<Host>& hosts, bool verbose) : ip_(find_network_tool("ip")), verbose_(verbose) {
  if (std::any_of(hosts.begin(), hosts.end(), [](const Host& host) { return host.rate.shaped(); }))
    tc_ = find_network_tool("tc");
}

void Topology::build(const std::vector<Host>& hosts, pid_t bridge) const {
  const Step make_bridge{ip_, "make the bridge", "the kernel needs bridges: modprobe bridge (CONFIG_BRIDGE)"};
  const Step make_links{ip_, "link the hosts", "the kernel needs virtual links: modprobe veth (CONFIG_VETH)"};
  const Step give_addresses{ip_, "give a host its addresses", "--verbose shows what was tried"};
  const Step shape{tc_, "shape a link",
                   "the kernel needs tbf: modprobe sch_tbf (CONFIG_NET_SCH_TBF), or leave rates out"};
  apply(make_bridge, bridge_batch(), bridge);
  apply(make_links, links_batch(hosts), bridge);
  apply(shape, bridge_shaping_batch(hosts), bridge);
  const bool ipv6 = has_ipv6();
  for (const Host& host : hosts) {
    apply(give_addresses, addresses_batch(host, ipv6), host.holder);
    apply(shape, host_shaping_batch(host), host.holder);
  }
}

void Topology::cut(const Host& host, pid_t bridge) const {
  const Step cut{ip_, "cut a link", "--verbose shows what was tried"};
  apply(cut, fmt::format("link set dev {} down\n", port(host)), bridge);
}

void Topology::apply(const Step& step, const std::string& batch, pid_t where) const {
  if (batch.empty()) return;
  if (verbose_) fmt::print(stderr, "ringmark-lab: {} in /proc/{}/ns/net:\n{}", step.tool, where, batch);
  const ToolResult result = run_tool(step.tool, {"-batch", "-"}, batch, where);
  if (!result.succeeded)
    throw Unusable(fmt::format("cannot {}: {} says: {}; {}", step.aim, step.tool, trimmed(result.output), step.remedy));
}

}  // namespace ringmark::lab
