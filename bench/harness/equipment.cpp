#include "bench/harness/equipment.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/fabric/verbs/connection_card.hpp"
#include "transports/memory/cuda/cuda_memory.hpp"

namespace ringmark {
namespace {

int local_rank_of(int rank, const std::vector<std::string>& hosts) {
  const auto own = hosts.begin() + rank;
  return static_cast<int>(std::count(hosts.begin(), own, *own));
}

/// Runs body on every rank; if it fails on some, all throw what the first of them said. A rank that fails still takes
/// part in the exchange, so that none waits.
void together(Bootstrap& bootstrap, const std::vector<std::string>& hosts, const std::function<void()>& body) {
  constexpr char usage_mark = '!';
  std::string problem;
  try {
    body();
  } catch (const BadUsage& error) {
    problem = fmt::format("{}{}", usage_mark, error.what());
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const auto problems = bootstrap.all_gather(problem);
  for (std::size_t rank = 0; rank < problems.size(); ++rank) {
    if (problems[rank].empty()) continue;
    const bool usage = problems[rank].front() == usage_mark;
    const auto text = fmt::format("rank {} on {}: {}", rank, hosts[rank], problems[rank].substr(usage ? 1 : 0));
    if (usage) throw BadUsage(text);
    throw Unusable(text);
  }
}

void open_verbs_device(Equipment& equipment, Bootstrap& bootstrap, const VerbsOptions& options) {
  const auto& hosts = equipment.places.hosts;
  const auto local_rank = local_rank_of(bootstrap.rank(), hosts);
  together(bootstrap, hosts, [&] {
    if (options.memory == MemoryKind::cuda) {
      equipment.memory = std::make_shared<CudaMemory>(system_cuda_driver(), local_rank);
    }
    const auto ports = verbs_ports(system_verbs_driver(), *equipment.memory);
    const auto& port = choose_port(ports, options, local_rank);
    equipment.verbs =
        std::make_shared<VerbsDevice>(system_verbs_driver(), port, choose_gid(port, options), *equipment.memory);
  });
  const auto mine = describe_port(*equipment.verbs, options);
  const auto cards = bootstrap.all_gather(std::string(reinterpret_cast<const char*>(&mine), sizeof mine));
  equipment.path_mtu_bytes = mtu_bytes(mine.mtu_code);
  together(bootstrap, hosts, [&] {
    for (std::size_t rank = 0; rank < cards.size(); ++rank) {
      ConnectionCard theirs;
      std::memcpy(&theirs, cards[rank].data(), std::min(cards[rank].size(), sizeof theirs));
      const auto name = [&](std::size_t number) { return fmt::format("rank {} on {}", number, hosts[number]); };
      const auto reason = why_cannot_talk(mine, name(static_cast<std::size_t>(bootstrap.rank())), theirs, name(rank));
      if (reason) throw Unusable(*reason);
      equipment.path_mtu_bytes = std::min(equipment.path_mtu_bytes, mtu_bytes(theirs.mtu_code));
    }
  });
}

void open_nccl_runtime(Equipment& equipment, Bootstrap& bootstrap, const NcclOptions& options) {
  const auto& hosts = equipment.places.hosts;
  const int rank = bootstrap.rank();
  together(bootstrap, hosts, [&] {
    equipment.nccl = std::make_shared<NcclRuntime>(system_cuda_driver(), options, rank, local_rank_of(rank, hosts));
    equipment.memory = {equipment.nccl, &equipment.nccl->memory()};
  });
  auto gpus = bootstrap.all_gather(
      fmt::format("{} {}", hosts[static_cast<std::size_t>(rank)], equipment.nccl->gpu().pci_bus_id()));
  std::sort(gpus.begin(), gpus.end());
  const auto shared = std::adjacent_find(gpus.begin(), gpus.end());
  equipment.time_sliced = shared != gpus.end();
  if (equipment.time_sliced && std::getenv("NCCL_HOSTID") == nullptr)
    throw Unusable(
        fmt::format("{}: ranks share this GPU, and NCCL wants one for each: start fewer; or, to see that "
                    "results are right and settings have effect but not how long anything takes, --set "
                    "nccl.share_gpu=1",
                    *shared));
  const auto bus_id = equipment.nccl->gpu().pci_bus_id();
  equipment.gpus = bootstrap.all_gather(equipment.nccl->gpu().describe() + (bus_id.empty() ? "" : " at " + bus_id));
  const auto libraries = bootstrap.all_gather(equipment.nccl->library().version_text());
  for (std::size_t other = 1; other < libraries.size(); ++other) {
    if (libraries[other] != libraries[0])
      throw Unusable(fmt::format("the ranks have different NCCLs: {} on {}, {} on {}", libraries[0], hosts[0],
                                 libraries[other], hosts[other]));
  }
}

}  // namespace

std::string describe_device(const Equipment& equipment) {
  const auto& device = *equipment.verbs;
  const auto& port = device.port();
  return fmt::format("{}, {}, GID {} {}, MTU {}", port.name(), link_layer_name(port.attr.link_layer),
                     device.gid().index, device.gid().text(), equipment.path_mtu_bytes);
}

Equipment make_equipment(Bootstrap& bootstrap, const RunOptions& options) {
  Equipment equipment;
  equipment.transport = options.transport;
  equipment.crowd = crowd_of(bootstrap);
  equipment.endpoint = TcpEndpoint::create(bootstrap, options.tcp);
  auto& places = equipment.places;
  for (int rank = 0; rank < bootstrap.size(); ++rank) places.hosts.push_back(equipment.endpoint->host(rank));
  if (options.transport == Transport::verbs) {
    open_verbs_device(equipment, bootstrap, options.verbs);
    equipment.way_out = way_out_over(equipment.verbs->port(), equipment.verbs->gid());
  } else if (options.transport == Transport::nccl) {
    open_nccl_runtime(equipment, bootstrap, options.nccl);
  } else {
    // On one host the kernel takes the loopback whatever address is asked for.
    const bool inside = on_one_host(places.hosts);
    const auto& interface = equipment.endpoint->interface();
    equipment.way_out = way_out_over({inside ? "lo" : interface});
    if (inside && interface != "lo") {
      equipment.ignored = fmt::format("tcp.interface={} has no effect on one host: everything goes over lo",
                                      equipment.endpoint->options().interface);
    }
  }
  if (options.transport == Transport::tcp) {
    const std::string seated = "seated";
    Pinning pinning;
    together(bootstrap, places.hosts,
             [&] { pinning = pin(options.tcp.pin, equipment.crowd, equipment.endpoint->interface()); });
    equipment.seat = pinning.seat;
    for (const auto& answer : bootstrap.all_gather(pinning.seat ? seated : pinning.ignored)) {
      if (answer == seated) {
        ++equipment.seated_ranks;
      } else if (equipment.ignored.empty()) {
        equipment.ignored = answer;
      }
    }
  }
  places.ways_out = bootstrap.all_gather(equipment.way_out.name);
  equipment.control =
      std::make_unique<Control>(std::make_unique<TcpFabric>(equipment.endpoint, control_connections), options.timeout);
  if (equipment.nccl) equipment.control->watch();
  return equipment;
}

int run_and_tell(const Equipment& equipment, const std::function<int()>& body) {
  try {
    return body();
  } catch (const PeerLost&) {
    throw;  // who saw it first has told already
  } catch (const std::exception& error) {
    equipment.endpoint->broadcast({equipment.endpoint->rank(), error.what()});
    throw;
  }
}

}  // namespace ringmark
