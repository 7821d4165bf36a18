#include "bench/harness/transports.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/harness/nccl.hpp"
#include "transports/executor/link_cost.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/fabric/verbs/verbs_fabric.hpp"
#include "transports/memory/cuda/cuda_memory.hpp"
#include "transports/mpi/mpi_communicator.hpp"

namespace ringmark {
namespace {

void check_verbs_options(const VerbsOptions& options) {
  constexpr int first_local_rank = 0;
  // The library alone: who asks a GPU before it forks can ask none afterwards.
  if (options.memory == MemoryKind::cuda && system_cuda_driver().api == nullptr) {
    throw Unusable("--set verbs.memory=cuda: " + system_cuda_driver().why_not);
  }
  const auto ports = verbs_ports(system_verbs_driver());
  choose_gid(choose_port(ports, options, first_local_rank), options);
}

}  // namespace

void require_usable(const RunOptions& options, std::string_view mpi) {
  if (options.transport == Transport::verbs) check_verbs_options(options.verbs);
  if (options.transport == Transport::nccl) check_nccl(options);
  if (options.transport == Transport::mpi && mpi.empty())
    throw Unusable("--transport mpi: needs ranks that were started by mpirun (MPICH or Open MPI)");
}

std::string transport_listing(const RunOptions& options, std::string_view mpi) {
  std::string text;
  for (const auto transport : all_transports()) {
    auto asked = options;
    asked.transport = transport;
    std::string answer = "yes";
    try {
      require_usable(asked, mpi);
    } catch (const std::exception& error) {
      const std::string_view reason = error.what();
      const auto flag = fmt::format("--transport {}: ", name(transport));
      answer = fmt::format("no: {}", reason.substr(reason.starts_with(flag) ? flag.size() : 0));
    }
    if (transport == Transport::nccl && answer == "yes") {
      if (const auto reason = why_no_gpu(); !reason.empty()) answer = "no: " + reason;
    }
    text += fmt::format("{:6} {}\n", name(transport), answer);
    if (transport == Transport::verbs) text += verbs_listing(system_verbs_driver());
    if (transport == Transport::nccl) text += nccl_listing(options.nccl);
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

std::optional<LinkCost> given_link(const RunOptions& options) {
  const auto bytes =
      options.transport == Transport::verbs ? options.verbs.crossover_bytes : options.tcp.crossover_bytes;
  return bytes > 0 ? std::optional(link_of_crossover(bytes)) : std::nullopt;
}

std::unique_ptr<Communicator> make_communicator(Equipment& equipment, const std::shared_ptr<MpiLibrary>& library,
                                                const RunOptions& options, const std::string& algorithm,
                                                bool is_preference) {
  if (options.transport == Transport::mpi) return std::make_unique<MpiCommunicator>(library);
  if (options.transport == Transport::nccl) return make_nccl_communicator(equipment, options);
  const auto slice_bytes = options.transport == Transport::verbs ? options.verbs.slice_bytes : options.tcp.slice_bytes;
  auto fabric = make_fabric(equipment, options);
  if (const auto given = given_link(options)) {
    equipment.link = given;
  } else if (fabric->size() > 1) {
    const auto slowest = [&](double mine) { return equipment.control->max(mine); };
    equipment.link = measure_link_cost(*fabric, slowest, options.timeout);
    equipment.link_is_measured = true;
  }
  if (equipment.link) equipment.least_slice_bytes = std::min(least_slice_bytes(*equipment.link), slice_bytes);
  return std::make_unique<ScheduleCommunicator>(
      std::string(name(options.transport)), std::move(fabric), topology_of(equipment.places.hosts),
      ScheduleOptions{algorithm, slice_bytes, options.timeout, equipment.link.value_or(assumed_link),
                      equipment.sticky_core, is_preference});
}

std::unique_ptr<Fabric> make_fabric(const Equipment& equipment, const RunOptions& options) {
  auto tcp = std::make_unique<TcpFabric>(equipment.endpoint, measured_connections);
  if (options.transport != Transport::verbs) return tcp;
  auto verbs = options.verbs;
  constexpr std::chrono::microseconds spin_on_shared_cores{20};
  if (!verbs.spin && equipment.core_share.is_tight()) verbs.spin = spin_on_shared_cores;
  return std::make_unique<VerbsFabric>(equipment.verbs, std::move(tcp), verbs);
}

double needed_wire_bytes(const Equipment& equipment, Communicator& communicator, const Operation& operation) {
  const auto& hosts = equipment.places.hosts;
  const int rank = equipment.control->rank();
  auto* scheduled = dynamic_cast<ScheduleCommunicator*>(&communicator);
  if (scheduled == nullptr) return least_sent_bytes(operation, hosts, rank);
  const auto& own_host = hosts[static_cast<std::size_t>(rank)];
  const bool one_host = on_one_host(hosts);
  return static_cast<double>(scheduled->sent_bytes(
      operation, [&](int peer) { return one_host || hosts[static_cast<std::size_t>(peer)] != own_host; }));
}

}  // namespace ringmark
