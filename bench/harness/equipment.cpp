#include "bench/harness/equipment.hpp"

#include "base/errors.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {

Equipment make_equipment(Bootstrap& bootstrap, const RunOptions& options, std::shared_ptr<MpiLibrary> mpi) {
  Equipment equipment;
  equipment.mpi = std::move(mpi);
  equipment.core_share = core_share(bootstrap);
  equipment.endpoint = TcpEndpoint::create(bootstrap, options.tcp);
  for (int rank = 0; rank < bootstrap.size(); ++rank) equipment.places.hosts.push_back(equipment.endpoint->host(rank));
  equipment.backend = make_backend(options.transport);
  equipment.backend->open(bootstrap, options, equipment);
  equipment.places.ways_out = exchange(bootstrap, "way out", equipment.backend->way_out().name);
  equipment.control =
      std::make_unique<Control>(std::make_unique<TcpFabric>(equipment.endpoint, control_connections), options.timeout);
  return equipment;
}

std::unique_ptr<Communicator> make_communicator(Equipment& equipment, const RunOptions& options,
                                                const std::string& algorithm, bool is_preference) {
  auto communicator = equipment.backend->make_communicator(options, equipment, algorithm, is_preference);
  equipment.places.ways_out = exchange(*equipment.control, "way out", equipment.backend->way_out().name);
  return communicator;
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
