#include "bench/backends/verbs_backend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/harness/rank_resources.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/fabric/verbs/connection_card.hpp"
#include "transports/fabric/verbs/verbs_fabric.hpp"

namespace ringmark {

void VerbsBackend::check(const RunOptions& options, std::string_view /*mpi*/) const {
  constexpr int first_local_rank = 0;
  // Only the library: a process that queries a GPU before it forks cannot use one afterwards.
  if (options.of<VerbsOptions>().memory == MemoryKind::cuda && system_cuda_driver().api == nullptr) {
    throw Unusable("--set verbs.memory=cuda: " + system_cuda_driver().why_not);
  }
  const auto ports = verbs_ports(system_verbs_driver());
  choose_gid(choose_port(ports, options.of<VerbsOptions>(), first_local_rank), options.of<VerbsOptions>());
}

std::string VerbsBackend::listing(const RunOptions& /*options*/) const { return verbs_listing(system_verbs_driver()); }

void VerbsBackend::open(Bootstrap& bootstrap, const RunOptions& run_options, const RankResources& resources) {
  const auto& options = run_options.of<VerbsOptions>();
  const auto& hosts = resources.places.hosts;
  const auto local_rank = local_rank_of(bootstrap.rank(), hosts);
  together(bootstrap, resources, [&] {
    if (options.memory == MemoryKind::cuda) memory_ = std::make_shared<CudaMemory>(system_cuda_driver(), local_rank);
    const auto ports = verbs_ports(system_verbs_driver(), *memory_);
    const auto& port = choose_port(ports, options, local_rank);
    device_ = std::make_shared<VerbsDevice>(system_verbs_driver(), port, choose_gid(port, options), *memory_);
  });
  const auto mine = describe_port(*device_, options);
  const auto cards = exchange(bootstrap, "verbs port", mine);
  path_mtu_bytes_ = mtu_bytes(mine.mtu_code);
  together(bootstrap, resources, [&] {
    for (std::size_t rank = 0; rank < cards.size(); ++rank) {
      const auto name = [&](std::size_t number) { return fmt::format("rank {} on {}", number, hosts[number]); };
      const auto own_rank = static_cast<std::size_t>(bootstrap.rank());
      if (const auto reason = why_cannot_talk(mine, name(own_rank), cards[rank], name(rank))) throw Unusable(*reason);
      path_mtu_bytes_ = std::min(path_mtu_bytes_, mtu_bytes(cards[rank].mtu_code));
    }
  });
  way_out_ = way_out_over(device_->port(), device_->gid());
  ports_ = exchange(bootstrap, "port", way_out_.name);
}

std::unique_ptr<Fabric> VerbsBackend::make_fabric(const RunOptions& options, const RankResources& resources) const {
  auto verbs = options.of<VerbsOptions>();
  constexpr std::chrono::microseconds spin_on_shared_cores{20};
  if (!verbs.spin && resources.core_share.is_tight()) verbs.spin = spin_on_shared_cores;
  return std::make_unique<VerbsFabric>(device_, std::make_unique<TcpFabric>(resources.endpoint, measured_connections),
                                       verbs);
}

void VerbsBackend::describe(std::map<std::string, std::string>& facts, const RankResources& resources) const {
  ScheduleBackend::describe(facts, resources);
  const auto& port = device_->port();
  const auto& gid = device_->gid();
  facts["device"] = fmt::format("{}, {}, GID {} {}, MTU {}", port.name(), link_layer_name(port.attr.link_layer),
                                gid.index, gid.text(), path_mtu_bytes_);
  if (const auto version = ibverbs_version_text(); !version.empty()) facts["libibverbs"] = version;
}

std::map<std::string, std::string> VerbsBackend::library_versions(const RankResources& /*resources*/) const {
  std::map<std::string, std::string> versions{{"ibverbs_version", ibverbs_version_text()}};
  if (memory_->kind() == MemoryKind::cuda) versions["driver_version"] = driver_version_text(*system_cuda_driver().api);
  return versions;
}

std::string VerbsBackend::place_of(int rank, const RankResources& /*resources*/) const {
  return ports_[static_cast<std::size_t>(rank)];
}

}  // namespace ringmark
