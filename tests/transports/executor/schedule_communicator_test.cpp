#include "transports/executor/schedule_communicator.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/rank_group.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST(ScheduleCommunicator, keeps_to_a_core_during_short_vectors_only) {
  const auto all = usable_cores();
  if (all.size() == 1) GTEST_SKIP() << "there is one core";
  const auto network = MemoryNetwork::create(2);
  in_threads(2, [&](int rank) {
    ScheduleCommunicator communicator("memory", network->fabric(rank), Topology::flat(2),
                                      {.sticky_core = std::make_shared<StickyCore>(rank)});
    const auto cores_after = [&](std::size_t elements) {
      std::vector<float> send(elements), recv(elements);
      communicator.run({Collective::all_reduce, DataType::float32, ReduceOp::sum, elements}, {send.data(), recv.data()},
                       std::chrono::seconds(30));
      return usable_cores();
    };
    const std::vector own{all[static_cast<std::size_t>(rank)]};
    EXPECT_EQ(cores_after(16), own);
    EXPECT_EQ(cores_after(1 << 20), all);
    EXPECT_EQ(cores_after(16), own);
  });
}

}  // namespace
}  // namespace ringmark
