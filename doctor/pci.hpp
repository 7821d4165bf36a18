// The PCI devices of a node and the registers of their configuration space.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/node.hpp"

namespace ringmark::doctor {

struct PciDevice {
  std::string address;  ///< "0000:17:00.0"
  unsigned vendor = 0, class_code = 0;
  int numa_node = -1;
  std::vector<std::string> bridges;  ///< bridges above the device, from the root port down

  bool is_gpu() const { return vendor == 0x10de && (class_code >> 16) == 0x03; }
  bool is_rdma = false;  ///< has an RDMA device
};

std::filesystem::path pci_folder(const std::string& address);
std::vector<PciDevice> pci_devices(const Node& node);

/// The 16-bit register at `offset` in a capability (PCI Express: 0x10), or in an extended one (ACS: 0x0d). Empty if the
/// device lacks it. `hidden` is set if the kernel hides that part of the configuration space from this user.
std::optional<unsigned> capability_register(const Node& node, const std::string& address, unsigned capability,
                                            std::size_t offset, bool& hidden);
std::optional<unsigned> extended_capability_register(const Node& node, const std::string& address, unsigned capability,
                                                     std::size_t offset, bool& hidden);

}  // namespace ringmark::doctor
