#include <fmt/format.h>

#include "doctor/checks.hpp"

namespace ringmark::doctor {
namespace {

constexpr const char* devices_folder = "sys/class/infiniband";

struct PortFiles {
  std::string name;  ///< "mlx5_0:1"
  std::filesystem::path folder;
  bool ethernet;
  std::string interface;  ///< network interface of its GIDs; empty on InfiniBand
};

std::string interface_of(const Node& node, const std::filesystem::path& port) {
  for (const auto& index : node.entries(port / "gid_attrs/ndevs")) {
    if (auto interface = node.text(port / "gid_attrs/ndevs" / index); interface && !interface->empty())
      return *interface;
  }
  return "";
}

std::vector<PortFiles> ports_of(const Node& node) {
  std::vector<PortFiles> ports;
  for (const auto& device : node.entries(devices_folder)) {
    for (const auto& number : node.entries(std::filesystem::path(devices_folder) / device / "ports")) {
      const auto folder = std::filesystem::path(devices_folder) / device / "ports" / number;
      const bool ethernet = node.text(folder / "link_layer").value_or("") == "Ethernet";
      ports.push_back(
          {fmt::format("{}:{}", device, number), folder, ethernet, ethernet ? interface_of(node, folder) : ""});
    }
  }
  return ports;
}

void check_state(const Node& node, const PortFiles& port, Findings& findings) {
  const auto state = node.text(port.folder / "state").value_or("unknown");
  const auto rate = node.text(port.folder / "rate").value_or("unknown rate");
  const auto evidence = fmt::format("{}, state {}, {}", port.ethernet ? "Ethernet" : "InfiniBand", state, rate);
  if (state.find("ACTIVE") != std::string::npos) {
    findings.push_back({Severity::fine, "rdma_port", port.name, evidence, "", ""});
    return;
  }
  const bool waits_for_manager = state.find("INIT") != std::string::npos;
  findings.push_back({Severity::problem, "rdma_port", port.name, evidence,
                      waits_for_manager ? "the link is up, but no subnet manager has configured it"
                                        : "nothing can be sent over this port",
                      port.ethernet
                          ? fmt::format("ip link set {} up", port.interface.empty() ? "INTERFACE" : port.interface)
                      : waits_for_manager ? "systemctl start opensm   (on one node, or enable the switch's own)"
                                          : "ibstat; check cable and switch port"});
}

void check_width(const Node& node, const PortFiles& port, Findings& findings) {
  const auto rate = node.text(port.folder / "rate").value_or("");
  // "50 Gb/sec (1X HDR)": cluster adapters have four lanes, or two with some split cables.
  if (port.ethernet || rate.find("(1X ") == std::string::npos) return;
  findings.push_back({Severity::warning, "rdma_width", port.name, "rate " + rate,
                      "the link runs with one of four lanes: a quarter of the bandwidth",
                      "iblinkinfo; reseat or replace the cable"});
}

void check_infiniband_mtu(const Node& node, const PortFiles& port, Findings& findings) {
  const auto mtu = node.port_mtu(port.name);
  if (!mtu) return;
  const auto evidence = fmt::format("the port uses packets of {} bytes", *mtu);
  if (*mtu >= 4096) {
    findings.push_back({Severity::fine, "ib_mtu", port.name, evidence, "", ""});
  } else {
    findings.push_back({Severity::warning, "ib_mtu", port.name, evidence,
                        "the same bytes take more packets and headers than with 4096",
                        "mtu=5 for the partition in the subnet manager's partitions.conf; ibv_devinfo"});
  }
}

void check_roce_mtu(const Node& node, const PortFiles& port, Findings& findings) {
  if (port.interface.empty()) return;
  const auto mtu = node.number(std::filesystem::path("sys/class/net") / port.interface / "mtu");
  if (!mtu) return;
  // A RoCE packet carries 4096 bytes plus headers.
  constexpr long enough = 4200;
  const long path_mtu = *mtu >= enough ? 4096 : *mtu >= 2200 ? 2048 : *mtu >= 1100 ? 1024 : 512;
  const auto evidence =
      fmt::format("interface {} has MTU {}, which limits RoCE packets to {} bytes", port.interface, *mtu, path_mtu);
  const auto used = node.port_mtu(port.name);
  if (used && *used != path_mtu) {
    const bool too_large = *used > path_mtu;
    findings.push_back({too_large ? Severity::problem : Severity::warning, "roce_mtu", port.name,
                        fmt::format("{}, but the port uses {}", evidence, *used),
                        too_large ? "the interface silently drops packets above its MTU"
                                  : "the port does not use the interface's full MTU: more packets than needed",
                        fmt::format("ip link set {0} down; ip link set {0} up; ibv_devinfo", port.interface)});
  } else if (*mtu >= enough) {
    findings.push_back({Severity::fine, "roce_mtu", port.name, evidence, "", ""});
  } else {
    findings.push_back(
        {Severity::warning, "roce_mtu", port.name, evidence,
         "the same bytes take more packets and headers; both ends must use the same MTU",
         fmt::format("ip link set {} mtu 9000   (and on the switch, and on all nodes)", port.interface)});
  }
}

void check_gids(const Node& node, const PortFiles& port, Findings& findings) {
  if (!port.ethernet) return;
  int v2 = 0, ipv4 = 0;
  for (const auto& index : node.entries(port.folder / "gid_attrs/types")) {
    if (node.text(port.folder / "gid_attrs/types" / index).value_or("") != "RoCE v2") continue;
    ++v2;
    const auto gid = node.text(port.folder / "gids" / index).value_or("");
    if (gid.starts_with("0000:0000:0000:0000:0000:ffff:")) ++ipv4;
  }
  const auto evidence = fmt::format("GID table: {} RoCE v2 entries, {} of them IPv4", v2, ipv4);
  if (ipv4 > 0) {
    findings.push_back({Severity::fine, "roce_gid", port.name, evidence, "", ""});
  } else if (v2 > 0) {
    findings.push_back({Severity::note, "roce_gid", port.name, evidence, "only IPv6 can be used",
                        "ip addr add ADDRESS/24 dev " + port.interface});
  } else {
    findings.push_back(
        {Severity::problem, "roce_gid", port.name, evidence,
         "RoCE needs a v2 GID to cross routers, and Ringmark and NCCL find none",
         fmt::format("ip addr add ADDRESS/24 dev {}", port.interface.empty() ? "INTERFACE" : port.interface)});
  }
}

void check_congestion(const Node& node, const PortFiles& port, Findings& findings) {
  if (!port.ethernet || port.interface.empty()) return;
  const auto settings = std::filesystem::path("sys/class/net") / port.interface;
  const auto notifies = node.text(settings / "ecn/roce_np/enable/3"),
             reacts = node.text(settings / "ecn/roce_rp/enable/3");
  const auto pfc = node.text(settings / "qos/pfc");
  if (!notifies && !reacts && !pfc) {
    findings.push_back({Severity::note, "roce_congestion", port.name,
                        "the driver shows no PFC or ECN settings in sysfs",
                        "RoCE on a lossy network needs one of them end to end",
                        fmt::format("dcb pfc show dev {0}; mlnx_qos -i {0}", port.interface)});
    return;
  }
  const auto evidence = fmt::format("priority 3: ECN notification {}, reaction {}; PFC {}",
                                    notifies.value_or("unknown"), reacts.value_or("unknown"), pfc.value_or("unknown"));
  const bool ecn = notifies.value_or("0") == "1" && reacts.value_or("0") == "1";
  const bool lossless = pfc.value_or("").find('1') != std::string::npos;
  if (ecn || lossless) {
    findings.push_back({Severity::fine, "roce_congestion", port.name, evidence, "", ""});
  } else {
    findings.push_back(
        {Severity::warning, "roce_congestion", port.name, evidence,
         "neither ECN nor PFC is on for RoCE's usual priority: a dropped packet costs the retransmission of a window",
         fmt::format("mlnx_qos -i {} --pfc 0,0,0,1,0,0,0,0 --trust dscp", port.interface)});
  }
}

}  // namespace

void check_rdma(const Node& node, Findings& findings) {
  const auto ports = ports_of(node);
  if (ports.empty()) {
    findings.push_back({Severity::note, "rdma_port", "RDMA", "no devices in /sys/class/infiniband",
                        "collectives over the network can use TCP only", ""});
    return;
  }
  for (const auto& port : ports) {
    check_state(node, port, findings);
    check_width(node, port, findings);
    port.ethernet ? check_roce_mtu(node, port, findings) : check_infiniband_mtu(node, port, findings);
    check_gids(node, port, findings);
    check_congestion(node, port, findings);
  }
}

}  // namespace ringmark::doctor
