#include "bench/harness/rank_resources.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {
namespace {

/// All ranks call it.
template <class Peers>
std::map<std::string, std::string> library_versions(Peers& peers, const RankResources& resources) {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& of_rank : exchange(peers, "library versions", resources.backend->library_versions(resources))) {
    for (const auto& [library, version] : of_rank) {
      if (!version.empty()) all[library].insert(version);
    }
  }
  std::map<std::string, std::string> joined;
  for (const auto& [library, versions] : all) joined[library] = fmt::format("{}", fmt::join(versions, ", "));
  return joined;
}

}  // namespace

bool stays_on_one_lab_host(const RankResources& resources) {
  const auto& hosts = resources.places.hosts;
  return resources.lab && resources.lab->hosts.size() > 1 && hosts.size() > 1 && on_one_host(hosts);
}

RankResources make_rank_resources(Bootstrap& bootstrap, const RunOptions& options, std::shared_ptr<MpiLibrary> mpi) {
  RankResources resources;
  resources.mpi = std::move(mpi);
  resources.core_share = core_share(bootstrap);
  resources.endpoint = TcpEndpoint::create(bootstrap, options.of<TcpOptions>());
  for (int rank = 0; rank < bootstrap.size(); ++rank) resources.places.hosts.push_back(resources.endpoint->host(rank));
  resources.lab = surrounding_lab();
  resources.backend = make_backend(options.transport);
  resources.backend->open(bootstrap, options, resources);
  resources.places.ways_out = exchange(bootstrap, "way out", resources.backend->way_out().name);
  resources.library_versions = library_versions(bootstrap, resources);
  resources.control =
      std::make_unique<Control>(std::make_unique<TcpFabric>(resources.endpoint, control_connections), options.timeout);
  return resources;
}

std::unique_ptr<Communicator> make_communicator(RankResources& resources, const RunOptions& options,
                                                const std::string& algorithm, bool is_preference) {
  auto communicator = resources.backend->make_communicator(options, resources, algorithm, is_preference);
  resources.places.ways_out = exchange(*resources.control, "way out", resources.backend->way_out().name);
  resources.library_versions = library_versions(*resources.control, resources);
  return communicator;
}

int run_and_tell(const RankResources& resources, const std::function<int()>& body) {
  try {
    return body();
  } catch (const RunLost&) {
    throw;  // whoever saw it first has told the others
  } catch (const std::exception& error) {
    const auto* late = dynamic_cast<const TimedOut*>(&error);
    if (late != nullptr && late->is_told()) throw;
    resources.endpoint->broadcast(Loss{.rank = resources.endpoint->rank(), .reason = error.what()});
    throw;
  }
}

}  // namespace ringmark
