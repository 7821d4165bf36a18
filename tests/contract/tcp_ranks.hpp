// Communicators over real TCP sockets of one host, a thread for each rank, for tests.
#pragma once

#include "tests/contract/rank_group.hpp"
#include "tests/contract/thread_bootstrap.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark::testing_support {

/// The meeting keeps the ranks' last exchange: their listening ports, and the token.
inline std::vector<std::shared_ptr<TcpEndpoint>> tcp_endpoints(const std::shared_ptr<ThreadBootstrap::Meeting>& meeting,
                                                               const TcpOptions& options) {
  const int ranks = meeting->size;
  std::vector<std::shared_ptr<TcpEndpoint>> endpoints(static_cast<std::size_t>(ranks));
  in_threads(ranks, [&](int rank) {
    ThreadBootstrap bootstrap(meeting, rank);
    endpoints[static_cast<std::size_t>(rank)] = TcpEndpoint::create(bootstrap, options);
  });
  return endpoints;
}
inline std::vector<std::shared_ptr<TcpEndpoint>> tcp_endpoints(int ranks, const TcpOptions& options) {
  return tcp_endpoints(std::make_shared<ThreadBootstrap::Meeting>(ranks), options);
}

inline Communicators tcp_ranks(int ranks, const TcpOptions& options, const ScheduleOptions& schedule = {},
                               int ranks_per_node = 1) {
  Communicators group;
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / ranks_per_node);
  for (const auto& endpoint : tcp_endpoints(ranks, options)) {
    group.push_back(std::make_unique<ScheduleCommunicator>("tcp", std::make_unique<TcpFabric>(endpoint, 1),
                                                           Topology::nodes(nodes), schedule));
  }
  return group;
}

}  // namespace ringmark::testing_support
