// The memory fabric keeps the contract, and what it injects is noticed: faults that nobody sees would prove nothing.
#include "transports/fabric/memory/memory_fabric.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/communicator_contract.hpp"
#include "transports/executor/schedule_communicator.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

Communicators memory_ranks(const std::shared_ptr<MemoryNetwork>& network, int ranks,
                           const std::string& algorithm = "auto") {
  Communicators group;
  for (int rank = 0; rank < ranks; ++rank) {
    group.push_back(std::make_unique<ScheduleCommunicator>("memory", network->fabric(rank), Topology::flat(ranks),
                                                           ScheduleOptions{.algorithm = algorithm}));
  }
  return group;
}

const Backend in_memory =
    in_process("memory", [](int ranks) { return memory_ranks(MemoryNetwork::create(ranks), ranks); });
INSTANTIATE_TEST_SUITE_P(Memory, CommunicatorContract, testing::Values(in_memory), backend_name);

const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, 100000};

TEST(MemoryFaults, a_flipped_bit_gives_a_wrong_element) {
  const auto network = MemoryNetwork::create(4, {.flip = {{.from = 1, .to = 2, .number = 3}}});
  auto group = memory_ranks(network, 4, "ring");  // in which rank 1 sends to rank 2
  std::size_t wrong = 0;
  std::mutex mutex;
  in_threads(4, [&](int rank) {
    const Verifier verifier(operation, rank, 4);
    std::vector<float> send(operation.count), recv(operation.count);
    verifier.fill(send.data());
    group[static_cast<std::size_t>(rank)]->run(operation, {send.data(), recv.data()}, std::chrono::seconds(30));
    const std::scoped_lock lock(mutex);
    wrong += verifier.count_wrong(recv.data());
  });
  EXPECT_GT(wrong, 0U);
}

TEST(MemoryFaults, a_lost_message_is_an_error_within_the_deadline) {
  const auto network = MemoryNetwork::create(4, {.lose = {{.from = 1, .to = 2, .number = 3}}});
  auto group = memory_ranks(network, 4, "ring");  // in which rank 1 sends to rank 2
  std::atomic<int> noticed = 0;
  in_threads(4, [&](int rank) {
    std::vector<float> send(operation.count), recv(operation.count);
    constexpr std::chrono::milliseconds patience{500};
    try {
      group[static_cast<std::size_t>(rank)]->run(operation, {send.data(), recv.data()}, patience);
    } catch (const TransportError&) {
      ++noticed;
    }
  });
  EXPECT_GE(noticed, 1);
}

TEST(MemoryFaults, a_dead_rank_is_named) {
  const auto network = MemoryNetwork::create(3);
  auto group = memory_ranks(network, 3);
  std::atomic<int> named = 0;
  in_threads(3, [&](int rank) {
    if (rank == 1) return network->kill(1);
    std::vector<float> send(operation.count), recv(operation.count);
    try {
      group[static_cast<std::size_t>(rank)]->run(operation, {send.data(), recv.data()}, std::chrono::seconds(30));
    } catch (const PeerLost& lost) {
      named += lost.rank() == 1;
    }
  });
  EXPECT_EQ(named, 2);
}

}  // namespace
}  // namespace ringmark
