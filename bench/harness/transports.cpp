#include "bench/harness/transports.hpp"

#include <map>

#include <fmt/format.h>

#include "bench/backends/backend.hpp"
#include "transports/fabric/tcp/address.hpp"

namespace ringmark {

std::string transport_listing(const RunOptions& options, std::string_view mpi) {
  std::string text;
  for (const auto transport : all_transports()) {
    auto asked = options;
    asked.transport = transport;
    const auto backend = make_backend(transport);
    std::string reason;
    try {
      backend->check(asked, mpi);
      reason = backend->why_no_device();
    } catch (const std::exception& error) {
      reason = error.what();
    }
    text += fmt::format("{:6} {}\n", name(transport), reason.empty() ? "yes" : "no: " + reason);
    text += backend->listing(options);
  }
  text += "interfaces:";
  for (const auto& a : local_addresses()) text += fmt::format(" {} ({}/{})", a.interface, a.address, a.prefix_bits);
  return text + "\n";
}

Topology topology_of(const std::vector<std::string>& hosts) {
  std::map<std::string, int> number;
  std::vector<int> node_of_rank;
  for (const auto& host : hosts) {
    node_of_rank.push_back(number.try_emplace(host, static_cast<int>(number.size())).first->second);
  }
  return Topology::nodes(node_of_rank);
}

double needed_wire_bytes(const RankResources& resources, Communicator& communicator, const Operation& operation,
                         const std::vector<int>& members) {
  const bool one_host = on_one_host(resources.places.hosts);
  auto hosts = resources.places.hosts;
  if (!members.empty()) {
    hosts.clear();
    for (const int member : members) hosts.push_back(resources.places.hosts[static_cast<std::size_t>(member)]);
    // In a run over several hosts, a group within one of them uses no network.
    if (!one_host && on_one_host(hosts)) return 0;
  }
  const int rank = communicator.rank();
  const auto leaves = [&](int peer) {
    return one_host || hosts[static_cast<std::size_t>(peer)] != hosts[static_cast<std::size_t>(rank)];
  };
  const auto sent = communicator.sent_bytes(operation, leaves);
  return sent ? static_cast<double>(*sent) : least_sent_bytes(operation, hosts, rank);
}

}  // namespace ringmark
