#include "lab/neighbours.hpp"

#include <fmt/format.h>

namespace ringmark::lab {
namespace {

/// Locally administered.
std::string hardware_address(const Host& host) {
  constexpr unsigned byte = 256;
  const auto number = static_cast<unsigned>(host.index) + 1;
  return fmt::format("02:52:4d:00:{:02x}:{:02x}", number / byte, number % byte);
}

}  // namespace

bool crowds_neighbour_table(const Network& network) {
  constexpr std::size_t room = 512;
  return !network.is_fabric() && network.hosts.size() * (network.hosts.size() - 1) > room;
}

std::string neighbours_batch(const Network& network, const Host& host, bool has_ipv6) {
  const auto& device = host.nics.front().device;
  auto batch = fmt::format("link set dev {} address {}\n", device, hardware_address(host));
  for (const auto& other : network.hosts) {
    if (other.index == host.index) continue;
    const auto& nic = other.nics.front();
    for (const auto* address : {&nic.address, &nic.address6}) {
      if (address == &nic.address || has_ipv6)
        batch += fmt::format("neighbour replace {} lladdr {} dev {} nud permanent\n", *address, hardware_address(other),
                             device);
    }
  }
  return batch;
}

}  // namespace ringmark::lab
