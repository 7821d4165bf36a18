#include "doctor/pci.hpp"

#include <cstdlib>

namespace ringmark::doctor {
namespace {

constexpr std::size_t shown_to_everybody = 64, legacy_space = 256, whole_space = 4096;

unsigned hexadecimal(const std::optional<std::string>& text) {
  return text ? static_cast<unsigned>(std::strtoul(text->c_str(), nullptr, 16)) : 0;
}

unsigned byte_at(const std::string& space, std::size_t at) { return static_cast<unsigned char>(space[at]); }
unsigned word_at(const std::string& space, std::size_t at) { return byte_at(space, at) | byte_at(space, at + 1) << 8; }

bool is_address(const std::string& name) { return name.size() == 12 && name[4] == ':' && name[7] == ':'; }

}  // namespace

std::filesystem::path pci_folder(const std::string& address) {
  return std::filesystem::path("sys/bus/pci/devices") / address;
}

std::vector<PciDevice> pci_devices(const Node& node) {
  std::vector<PciDevice> devices;
  for (const auto& address : node.entries("sys/bus/pci/devices")) {
    const auto folder = pci_folder(address);
    PciDevice device;
    device.address = address;
    device.vendor = hexadecimal(node.text(folder / "vendor"));
    device.class_code = hexadecimal(node.text(folder / "class"));
    device.numa_node = static_cast<int>(node.number(folder / "numa_node").value_or(-1));
    device.is_rdma = node.exists(folder / "infiniband");
    for (const auto& part : node.real(folder).parent_path()) {
      if (is_address(part.string())) device.bridges.push_back(part.string());
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

std::optional<unsigned> capability_register(const Node& node, const std::string& address, unsigned capability,
                                            std::size_t offset, bool& hidden) {
  const auto space = node.bytes(pci_folder(address) / "config", legacy_space);
  if (space.size() < shown_to_everybody) return std::nullopt;
  if (space.size() < legacy_space) return hidden = true, std::nullopt;
  std::size_t at = byte_at(space, 0x34);
  for (int hops = 0; at >= shown_to_everybody && at + offset + 1 < space.size() && hops < 48; ++hops) {
    if (byte_at(space, at) == capability) return word_at(space, at + offset);
    at = byte_at(space, at + 1);
  }
  return std::nullopt;
}

std::optional<unsigned> extended_capability_register(const Node& node, const std::string& address, unsigned capability,
                                                     std::size_t offset, bool& hidden) {
  const auto space = node.bytes(pci_folder(address) / "config", whole_space);
  if (space.size() < shown_to_everybody) return std::nullopt;
  if (space.size() < legacy_space) return hidden = true, std::nullopt;
  std::size_t at = legacy_space;
  for (int hops = 0; at >= legacy_space && at + offset + 1 < space.size() && hops < 480; ++hops) {
    if (word_at(space, at) == capability) return word_at(space, at + offset);
    at = word_at(space, at + 2) >> 4;  // bits 0-3: version; above: offset of the next capability
  }
  return std::nullopt;
}

}  // namespace ringmark::doctor
