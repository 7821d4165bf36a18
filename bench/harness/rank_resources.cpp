#include "bench/harness/rank_resources.hpp"

#include "base/errors.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {

RankResources make_rank_resources(Bootstrap& bootstrap, const RunOptions& options, std::shared_ptr<MpiLibrary> mpi) {
  RankResources resources;
  resources.mpi = std::move(mpi);
  resources.core_share = core_share(bootstrap);
  resources.endpoint = TcpEndpoint::create(bootstrap, options.of<TcpOptions>());
  for (int rank = 0; rank < bootstrap.size(); ++rank) resources.places.hosts.push_back(resources.endpoint->host(rank));
  resources.backend = make_backend(options.transport);
  resources.backend->open(bootstrap, options, resources);
  resources.places.ways_out = exchange(bootstrap, "way out", resources.backend->way_out().name);
  resources.control =
      std::make_unique<Control>(std::make_unique<TcpFabric>(resources.endpoint, control_connections), options.timeout);
  return resources;
}

std::unique_ptr<Communicator> make_communicator(RankResources& resources, const RunOptions& options,
                                                const std::string& algorithm, bool is_preference) {
  auto communicator = resources.backend->make_communicator(options, resources, algorithm, is_preference);
  resources.places.ways_out = exchange(*resources.control, "way out", resources.backend->way_out().name);
  return communicator;
}

int run_and_tell(const RankResources& resources, const std::function<int()>& body) {
  try {
    return body();
  } catch (const RunLost&) {
    throw;  // who saw it first has told already
  } catch (const std::exception& error) {
    const auto* late = dynamic_cast<const TimedOut*>(&error);
    if (late != nullptr && late->is_told()) throw;
    resources.endpoint->broadcast(Loss{.rank = resources.endpoint->rank(), .reason = error.what()});
    throw;
  }
}

}  // namespace ringmark
