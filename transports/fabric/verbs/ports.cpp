#include "transports/fabric/verbs/ports.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::vector<GidEntry> gids_of(const VerbsDriver& driver, ibv::Context* context, const Port& port) {
  std::vector<GidEntry> entries;
  const auto folder = driver.sysfs / "class/infiniband" / port.device / "ports" / std::to_string(port.number);
  for (int index = 0; index < port.attr.gid_tbl_len; ++index) {
    GidEntry entry;
    entry.index = index;
    if (driver.api->query_gid(context, static_cast<std::uint8_t>(port.number), index, &entry.gid) != 0) continue;
    if (std::all_of(entry.gid.begin(), entry.gid.end(), [](auto byte) { return byte == 0; })) continue;
    entry.type = first_line(folder / "gid_attrs/types" / std::to_string(index));
    entry.interface = first_line(folder / "gid_attrs/ndevs" / std::to_string(index));
    entries.push_back(std::move(entry));
  }
  return entries;
}

int numa_distance(const VerbsDriver& driver, std::optional<int> node_of_memory, const std::string& device) {
  const auto of_device = first_line(driver.sysfs / "class/infiniband" / device / "device/numa_node");
  if (of_device.empty() || of_device.front() == '-' || !node_of_memory) return 0;
  std::istringstream distances(
      first_line(driver.sysfs / fmt::format("devices/system/node/node{}/distance", *node_of_memory)));
  int distance = 0;
  for (int node = 0; node <= std::atoi(of_device.c_str()); ++node) distances >> distance;
  return distances ? distance : 0;
}

std::string describe(const std::vector<Port>& ports) {
  std::vector<std::string> words;
  for (const auto& port : ports) {
    words.push_back(
        fmt::format("{} ({}, {})", port.name(), link_layer_name(port.attr.link_layer), state_name(port.attr.state)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

bool is_v2(const GidEntry& entry) { return entry.type == "RoCE v2"; }

}  // namespace

bool GidEntry::is_ipv4() const {
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(mapped.begin(), mapped.end(), gid.begin());
}

std::string GidEntry::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_ipv4()) {
    ::inet_ntop(AF_INET, gid.data() + 12, text.data(), text.size());
  } else {
    ::inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
  }
  return text.data();
}

std::string Port::name() const { return fmt::format("{}:{}", device, number); }

std::string_view state_name(ibv::PortState state) {
  constexpr std::array<std::string_view, 6> names{"no state", "down", "initialising", "armed", "active", "deferred"};
  return names[std::min<std::size_t>(static_cast<std::size_t>(state), names.size() - 1)];
}

std::string_view link_layer_name(std::uint8_t link_layer) {
  return link_layer == ibv::link_layer_ethernet     ? "Ethernet"
         : link_layer == ibv::link_layer_infiniband ? "InfiniBand"
                                                    : "unknown link layer";
}

int mtu_bytes(int code) { return 128 << code; }

int mtu_code(int bytes) {
  int code = 1;
  while (code < 5 && mtu_bytes(code) < bytes) ++code;
  return code;
}

std::vector<Port> verbs_ports(const VerbsDriver& driver, const Memory& memory) {
  if (driver.api == nullptr) throw Unusable(driver.why_not);
  const auto& api = *driver.api;
  int count = 0;
  const std::unique_ptr<ibv::Device*, void (*)(ibv::Device**)> list(api.get_device_list(&count), api.free_device_list);
  if (!list || count == 0) {
    throw Unusable("no RDMA device found: there is no adapter, or its kernel driver (with ib_uverbs) is not loaded");
  }
  std::vector<Port> ports;
  for (int i = 0; i < count; ++i) {
    ibv::Device* device = list.get()[i];
    const std::string name = api.get_device_name(device);
    const std::unique_ptr<ibv::Context, int (*)(ibv::Context*)> context(api.open_device(device), api.close_device);
    if (!context) {
      throw Unusable(
          fmt::format("cannot open RDMA device {}: is /dev/infiniband/uverbs* readable and writable?", name));
    }
    ibv::DeviceAttr attr{};
    if (api.query_device(context.get(), &attr) != 0) continue;
    for (int number = 1; number <= attr.phys_port_cnt; ++number) {
      Port port{name, number, {}, {}, {}};
      if (api.query_port(context.get(), static_cast<std::uint8_t>(number), &port.attr) != 0) continue;
      port.rate = first_line(driver.sysfs / "class/infiniband" / name / "ports" / std::to_string(number) / "rate");
      port.gids = gids_of(driver, context.get(), port);
      port.numa_distance = numa_distance(driver, memory.numa_node(), name);
      ports.push_back(std::move(port));
    }
  }
  if (ports.empty()) throw Unusable("no RDMA device reports its ports; check dmesg");
  std::sort(ports.begin(), ports.end(),
            [](const Port& a, const Port& b) { return std::tie(a.device, a.number) < std::tie(b.device, b.number); });
  return ports;
}

std::string verbs_listing(const VerbsDriver& driver) {
  try {
    std::string text;
    for (const auto& port : verbs_ports(driver)) {
      text += fmt::format("  {}  {}, {}, {}, MTU {}\n", port.name(), link_layer_name(port.attr.link_layer),
                          state_name(port.attr.state), port.rate.empty() ? "rate unknown" : port.rate,
                          mtu_bytes(port.attr.active_mtu));
      for (const auto& gid : port.gids) {
        text += fmt::format("    GID {}: {} {}{}{}\n", gid.index, gid.text(), gid.type,
                            gid.interface.empty() ? "" : " on ", gid.interface);
      }
    }
    return text;
  } catch (const Unusable&) {
    return "";  // the transport's own line in --list gives the reason
  }
}

const Port& choose_port(const std::vector<Port>& ports, const VerbsOptions& options, int local_rank) {
  std::vector<const Port*> active;
  const bool any = options.device.empty() || options.device == "numa";
  bool named = false;
  for (const auto& port : ports) {
    if (!any && options.device != port.device && options.device != port.name()) continue;
    named = true;
    if (port.is_active()) active.push_back(&port);
  }
  if (!named) {
    throw BadUsage(
        fmt::format("--set verbs.device={}: no such device; available: {}", options.device, describe(ports)));
  }
  if (active.empty()) {
    throw Unusable(
        fmt::format("no RDMA port{} is active: {}; check the cable, the switch, the subnet manager "
                    "(InfiniBand) or the interface (ip link, Ethernet)",
                    any ? "" : " of " + options.device, describe(ports)));
  }
  if (options.device == "numa") {
    const auto nearest = (*std::min_element(active.begin(), active.end(), [](const Port* a, const Port* b) {
                           return a->numa_distance < b->numa_distance;
                         }))->numa_distance;
    std::erase_if(active, [&](const Port* port) { return port->numa_distance > nearest; });
  }
  const auto& port = *active[static_cast<std::size_t>(local_rank) % active.size()];
  if (options.mtu_bytes > mtu_bytes(port.attr.active_mtu)) {
    throw BadUsage(fmt::format("--set verbs.mtu={}: {} has {}; raise its interface's MTU, or give a smaller value",
                               options.mtu_bytes, port.name(), mtu_bytes(port.attr.active_mtu)));
  }
  return port;
}

const GidEntry& choose_gid(const Port& port, const VerbsOptions& options) {
  const auto find = [&](const auto& fits) {
    const auto found = std::find_if(port.gids.begin(), port.gids.end(), fits);
    return found == port.gids.end() ? nullptr : &*found;
  };
  if (options.gid_index) {
    if (const auto* entry = find([&](const auto& e) { return e.index == *options.gid_index; })) return *entry;
    throw BadUsage(fmt::format("--set verbs.gid_index={}: {} has no GID there; --list shows its table",
                               *options.gid_index, port.name()));
  }
  const GidEntry* entry = nullptr;
  if (port.is_ethernet()) {
    const bool wants_ipv4 = options.gid_family == "ipv4";
    entry = find([&](const auto& e) { return is_v2(e) && e.is_ipv4() == wants_ipv4; });
    if (entry == nullptr) entry = find(is_v2);
  } else if (!port.gids.empty()) {
    entry = &port.gids.front();
  }
  if (entry == nullptr) {
    throw Unusable(fmt::format("{} has no {}GID; give its interface an address (ip addr), then check with --list",
                               port.name(), port.is_ethernet() ? "RoCE v2 " : ""));
  }
  return *entry;
}

}  // namespace ringmark
