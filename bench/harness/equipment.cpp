#include "bench/harness/equipment.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/fabric/verbs/connection_card.hpp"
#include "transports/memory/cuda/cuda_memory.hpp"

namespace ringmark {
namespace {

int local_rank_of(int rank, const std::vector<std::string>& hosts) {
  const auto own = hosts.begin() + rank;
  return static_cast<int>(std::count(hosts.begin(), own, *own));
}

/// How body ended on a rank.
struct Ending {
  int status = exit_ok;
  std::string problem;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ending, status, problem)

/// Runs body on every rank; if it fails on some, all throw the first rank's problem. A rank that fails still takes part
/// in the exchange, so that none waits.
void together(Bootstrap& bootstrap, const std::vector<std::string>& hosts, const std::function<void()>& body) {
  Ending mine;
  try {
    body();
  } catch (const BadUsage& error) {
    mine = {exit_usage, error.what()};
  } catch (const std::exception& error) {
    mine = {exit_unusable, error.what()};
  }
  const auto endings = exchange(bootstrap, "set-up", mine);
  for (std::size_t rank = 0; rank < endings.size(); ++rank) {
    if (endings[rank].status == exit_ok) continue;
    const auto text = fmt::format("rank {} on {}: {}", rank, hosts[rank], endings[rank].problem);
    if (endings[rank].status == exit_usage) throw BadUsage(text);
    throw Unusable(text);
  }
}

struct GpuCard {
  std::string pci_bus_id, description, library;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuCard, pci_bus_id, description, library)

struct PinningResult {
  bool has_sticky_core = false;
  std::string ignored;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PinningResult, has_sticky_core, ignored)

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
  const auto cards = exchange(bootstrap, "verbs port", mine);
  equipment.path_mtu_bytes = mtu_bytes(mine.mtu_code);
  together(bootstrap, hosts, [&] {
    for (std::size_t rank = 0; rank < cards.size(); ++rank) {
      const auto& theirs = cards[rank];
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
  const auto& gpu = equipment.nccl->gpu();
  const auto library = equipment.nccl->library().version_text();
  const auto cards = exchange(bootstrap, "GPU", GpuCard{gpu.pci_bus_id(), gpu.describe(), library});
  std::map<std::pair<std::string, std::string>, int> ranks_on;
  for (std::size_t other = 0; other < cards.size(); ++other) {
    ++ranks_on[{hosts[other], cards[other].pci_bus_id}];
    const auto& bus_id = cards[other].pci_bus_id;
    equipment.gpus.push_back(cards[other].description + (bus_id.empty() ? "" : " at " + bus_id));
  }
  const auto shared = std::find_if(ranks_on.begin(), ranks_on.end(), [](const auto& each) { return each.second > 1; });
  equipment.time_sliced = shared != ranks_on.end();
  if (equipment.time_sliced && std::getenv("NCCL_HOSTID") == nullptr)
    throw Unusable(
        fmt::format("{} {}: ranks share this GPU, and NCCL wants one for each: start fewer; or, to see that "
                    "results are right and settings have effect but not how long anything takes, --set "
                    "nccl.share_gpu=1",
                    shared->first.first, shared->first.second));
  for (std::size_t other = 1; other < cards.size(); ++other) {
    if (cards[other].library != cards[0].library)
      throw Unusable(fmt::format("the ranks have different NCCLs: {} on {}, {} on {}", cards[0].library, hosts[0],
                                 cards[other].library, hosts[other]));
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
  equipment.core_share = core_share(bootstrap);
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
    Pinning pinning;
    together(bootstrap, places.hosts,
             [&] { pinning = pin(options.tcp.pin, equipment.core_share, equipment.endpoint->interface()); });
    equipment.sticky_core = pinning.sticky_core;
    const PinningResult mine{pinning.sticky_core != nullptr, pinning.ignored};
    for (const auto& result : exchange(bootstrap, "pinning", mine)) {
      if (result.has_sticky_core) ++equipment.sticky_ranks;
      if (equipment.ignored.empty()) equipment.ignored = result.ignored;
    }
  }
  places.ways_out = exchange(bootstrap, "way out", equipment.way_out.name);
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
