// The contract over this machine's own RDMA devices, a port for each rank in turn; a program of its own, because most
// machines have none. tests/programs/vm_test.cpp runs it where there are Soft-RoCE devices.
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/communicator_contract.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "transports/fabric/verbs/verbs_fabric.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

Communicators rdma_ranks(int ranks, const VerbsOptions& options) {
  Communicators group;
  const auto ports = verbs_ports(system_verbs_driver());
  const auto endpoints = tcp_endpoints(ranks, {});
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& port = choose_port(ports, options, rank);
    auto device = std::make_shared<VerbsDevice>(system_verbs_driver(), port, choose_gid(port, options));
    auto side = std::make_unique<TcpFabric>(endpoints[static_cast<std::size_t>(rank)], 1);
    group.push_back(std::make_unique<ScheduleCommunicator>(
        "verbs", std::make_unique<VerbsFabric>(device, std::move(side), options), Topology::flat(ranks),
        ScheduleOptions{.slice_bytes = options.slice_bytes}));
  }
  return group;
}

const Backend plain = in_process("plain", [](int ranks) { return rdma_ranks(ranks, {}); });
INSTANTIATE_TEST_SUITE_P(Rdma, CommunicatorContract, testing::Values(plain), backend_name);

}  // namespace
}  // namespace ringmark

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    ringmark::verbs_ports(ringmark::system_verbs_driver());
  } catch (const ringmark::Unusable& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 4;
  }
  return RUN_ALL_TESTS();
}
