#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "doctor/pci.hpp"

namespace ringmark::doctor {
namespace {

void say_hidden(Findings& findings, const std::string& check, const std::string& subject, const std::string& what) {
  findings.push_back({Severity::note, check, subject, what + " cannot be read by this user",
                      "the kernel shows only the first 64 bytes of the configuration space", "sudo ringmark-doctor"});
}

/// With ACS, writes from one device to another go up to the root complex instead of through their shared switch.
void check_acs(const Node& node, const std::vector<PciDevice>& devices, Findings& findings) {
  std::set<std::string> between;
  for (const auto& device : devices) {
    if (device.is_gpu() || device.is_rdma) between.insert(device.bridges.begin(), device.bridges.end());
  }
  const bool has_gpu = std::any_of(devices.begin(), devices.end(), [](const auto& d) { return d.is_gpu(); });
  if (!has_gpu) return;
  constexpr unsigned acs = 0x0d;
  constexpr std::size_t control = 6;
  constexpr unsigned request_redirect = 1 << 2, completion_redirect = 1 << 3, upstream_forwarding = 1 << 4;
  bool any_hidden = false;
  for (const auto& address : between) {
    const auto value = extended_capability_register(node, address, acs, control, any_hidden);
    if (!value) continue;
    const auto evidence = fmt::format("ACS control register {:#06x}", *value);
    if ((*value & (request_redirect | completion_redirect | upstream_forwarding)) == 0) {
      findings.push_back({Severity::fine, "pcie_acs", address, evidence, "", ""});
    } else {
      findings.push_back(
          {Severity::problem, "pcie_acs", address, evidence,
           "ACS is on for a bridge above a GPU or an adapter: transfers between them go through the root complex, "
           "at a fraction of the speed",
           fmt::format("sudo setpci -s {} ECAP_ACS+0x6.w=0000   (at every boot, or turn ACS off in the BIOS)",
                       address)});
    }
  }
  if (any_hidden) say_hidden(findings, "pcie_acs", "PCI bridges", "ACS");
}

void check_link(const Node& node, const PciDevice& device, Findings& findings) {
  const auto folder = pci_folder(device.address);
  const auto speed = node.text(folder / "current_link_speed"), most_speed = node.text(folder / "max_link_speed");
  const auto width = node.number(folder / "current_link_width"), most_width = node.number(folder / "max_link_width");
  if (!speed || !most_speed || !width || !most_width) return;
  const auto evidence = fmt::format("link {} x{}, capable of {} x{}", *speed, *width, *most_speed, *most_width);
  if (*width >= *most_width && *speed == *most_speed) {
    findings.push_back({Severity::fine, "pcie_link", device.address, evidence, "", ""});
    return;
  }
  // GPUs lower the speed of an idle link to save power; the width stays.
  const bool may_be_idle = device.is_gpu() && *width >= *most_width;
  findings.push_back({may_be_idle ? Severity::note : Severity::warning, "pcie_link", device.address, evidence,
                      may_be_idle
                          ? "the link runs below its capability; GPUs lower it when idle: check again under load"
                          : "the link trained below the device's capability: the slot, a riser or the BIOS limits it",
                      fmt::format("sudo lspci -vvs {} | grep Lnk", device.address)});
}

void check_relaxed_ordering(const Node& node, const PciDevice& device, bool& hidden, Findings& findings) {
  constexpr unsigned express = 0x10;
  constexpr std::size_t device_control = 8;
  constexpr unsigned enabled = 1 << 4;
  const auto value = capability_register(node, device.address, express, device_control, hidden);
  if (!value) return;
  const auto evidence = fmt::format("device control register {:#06x}", *value);
  if ((*value & enabled) != 0) {
    findings.push_back({Severity::fine, "pcie_relaxed_ordering", device.address, evidence, "", ""});
  } else {
    findings.push_back({Severity::warning, "pcie_relaxed_ordering", device.address, evidence,
                        "relaxed ordering is off: the adapter's writes wait for each other in the root complex",
                        fmt::format("sudo setpci -s {} CAP_EXP+8.w={:04x}", device.address, *value | enabled)});
  }
}

/// Each GPU should have an adapter on its own NUMA node.
void check_distance(const std::vector<PciDevice>& devices, Findings& findings) {
  for (const auto& gpu : devices) {
    if (!gpu.is_gpu() || gpu.numa_node < 0) continue;
    std::string near, far;
    for (const auto& adapter : devices) {
      if (!adapter.is_rdma || adapter.numa_node < 0) continue;
      (adapter.numa_node == gpu.numa_node ? near : far) += " " + adapter.address;
    }
    if (near.empty() && far.empty()) continue;
    if (!near.empty()) {
      findings.push_back({Severity::fine, "numa_distance", gpu.address,
                          fmt::format("GPU on NUMA node {}, like the adapters{}", gpu.numa_node, near), "", ""});
    } else {
      findings.push_back({Severity::warning, "numa_distance", gpu.address,
                          fmt::format("GPU on NUMA node {}, but all adapters are elsewhere:{}", gpu.numa_node, far),
                          "all traffic of this GPU crosses the link between the sockets", "nvidia-smi topo -m"});
    }
  }
}

}  // namespace

void check_pcie(const Node& node, Findings& findings) {
  const auto devices = pci_devices(node);
  check_acs(node, devices, findings);
  bool hidden = false;
  for (const auto& device : devices) {
    if (device.is_gpu() || device.is_rdma) check_link(node, device, findings);
    if (device.is_rdma) check_relaxed_ordering(node, device, hidden, findings);
  }
  if (hidden) say_hidden(findings, "pcie_relaxed_ordering", "adapters", "relaxed ordering");
  check_distance(devices, findings);
}

}  // namespace ringmark::doctor
