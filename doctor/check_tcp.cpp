#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "doctor/checks.hpp"

namespace ringmark::doctor {
namespace {

/// Mbit/s of the fastest interface that is up; 0 if none reports a speed.
long fastest_interface(const Node& node) {
  long fastest = 0;
  for (const auto& interface : node.entries("sys/class/net")) {
    const auto folder = std::filesystem::path("sys/class/net") / interface;
    if (node.text(folder / "operstate").value_or("") != "up") continue;
    fastest = std::max(fastest, node.number(folder / "speed").value_or(0));
  }
  return fastest;
}

/// The third number of tcp_rmem and tcp_wmem: the maximum size of a socket's buffer.
long largest(const std::string& three) {
  std::istringstream words(three);
  long least = 0, usual = 0, most = 0;
  words >> least >> usual >> most;
  return most;
}

void check_buffers(const Node& node, long speed, Findings& findings) {
  // Twice the bytes in flight during a round trip of 0.5 ms at the interface's speed.
  const long needed = std::max(4L << 20, speed * 1'000'000 / 8 / 1000);
  for (const std::string setting : {"tcp_rmem", "tcp_wmem"}) {
    const auto value = node.text("proc/sys/net/ipv4/" + setting);
    if (!value) continue;
    const long most = largest(*value);
    const auto evidence = fmt::format("net.ipv4.{}: at most {} bytes per socket", setting, most);
    if (most >= needed) {
      findings.push_back({Severity::fine, "tcp_buffers", setting, evidence, "", ""});
    } else {
      findings.push_back({Severity::warning, "tcp_buffers", setting, evidence,
                          fmt::format("{}a socket needs {} bytes to keep the wire busy",
                                      speed > 0 ? fmt::format("at {} Mbit/s ", speed) : "", needed),
                          fmt::format("sysctl -w net.ipv4.{}='4096 131072 {}'", setting, needed)});
    }
  }
}

void check_interfaces(const Node& node, Findings& findings) {
  for (const auto& interface : node.entries("sys/class/net")) {
    const auto folder = std::filesystem::path("sys/class/net") / interface;
    const auto mtu = node.number(folder / "mtu");
    const long speed = node.number(folder / "speed").value_or(0);
    if (!mtu || node.text(folder / "operstate").value_or("") != "up" || speed < 10'000) continue;
    const auto evidence = fmt::format("{} Mbit/s, MTU {}", speed, *mtu);
    if (*mtu >= 9000 || node.exists(folder / "device/infiniband")) {
      findings.push_back({Severity::fine, "tcp_mtu", interface, evidence, "", ""});
    } else {
      findings.push_back({Severity::note, "tcp_mtu", interface, evidence,
                          "the same bytes take six times as many packets as with jumbo frames",
                          fmt::format("ip link set {} mtu 9000   (and on the switch, and on all nodes)", interface)});
    }
  }
}

/// docs/evidence/tcp.md has the measured loss.
void check_congestion(const Node& node, Findings& findings) {
  const auto congestion = node.text("proc/sys/net/ipv4/tcp_congestion_control");
  if (!congestion) return;
  const auto evidence = "congestion control " + *congestion;
  if (*congestion == "bbr") {
    findings.push_back({Severity::note, "tcp_congestion", "kernel", evidence,
                        "in measurements with all ranks exchanging data at once, up to a tenth of the bandwidth of 1 "
                        "Gbit/s links stayed unused",
                        "sysctl -w net.ipv4.tcp_congestion_control=cubic   (or --set tcp.congestion=cubic)"});
  } else {
    findings.push_back({Severity::fine, "tcp_congestion", "kernel", evidence, "", ""});
  }
}

}  // namespace

void check_tcp(const Node& node, Findings& findings) {
  check_buffers(node, fastest_interface(node), findings);
  check_congestion(node, findings);
  check_interfaces(node, findings);
}

}  // namespace ringmark::doctor
