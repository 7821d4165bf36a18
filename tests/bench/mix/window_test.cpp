// Groups that run at once, over fabrics in memory; and the times that count.
#include "bench/mix/window.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/rank_group.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"

namespace ringmark::mix {
namespace {

using namespace testing_support;

TEST(GroupTimes, are_from_one_end_on_all_ranks_to_the_next) {
  const auto group = merge({{10, {20, 30}}, {12, {18, 35}}});
  EXPECT_EQ(group.begin_us, 12);
  EXPECT_EQ(group.within(0, 100), (std::vector<double>{8, 15}));
  EXPECT_EQ(group.within(13, 100), (std::vector<double>{15}));
}

TEST(GroupTimes, count_while_all_groups_run) {
  const GroupTimes fast{0, {1, 2, 3, 4, 5, 6, 7, 8}}, slow{0.5, {3.5, 6.5}};
  const auto times = while_all_ran({fast, slow});
  EXPECT_EQ(times[0].size(), 5U);  // those that end from 2 to 6
  EXPECT_EQ(times[1], (std::vector<double>{3, 3}));
}

TEST(Progress, travels_and_finds_its_group) {
  const std::vector<Part> parts{{2, nullptr, {}}, {0, nullptr, {}}};
  const std::vector<Progress> progress{{10.5, {20, 30.25}}, {12, {}}};
  std::vector<std::vector<Progress>> by_group(3);
  for (const auto& packed : {pack(parts, progress), pack({}, {}), pack(std::span(parts).first(1), progress)})
    unpack(packed, by_group);
  ASSERT_EQ(by_group[0].size(), 1U);
  EXPECT_EQ(by_group[0][0].begin_us, 12);
  EXPECT_TRUE(by_group[0][0].end_us.empty());
  EXPECT_TRUE(by_group[1].empty());
  ASSERT_EQ(by_group[2].size(), 2U);
  EXPECT_EQ(by_group[2][1].begin_us, 10.5);
  EXPECT_EQ(by_group[2][1].end_us, (std::vector<double>{20, 30.25}));
}

/// Rank 1 is in two groups, of ranks 0 and 1, and of 1 and 2.
TEST(Window, a_rank_may_be_in_several_groups) {
  const auto first = MemoryNetwork::create(2, {}), second = MemoryNetwork::create(2, {});
  const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, 1000};
  const std::vector<int> times{7, 11};
  in_threads(3, [&](int rank) {
    Communicators communicators;
    std::vector<TestBuffers> buffers;
    std::vector<Part> parts;
    const auto join = [&](std::size_t group, const std::shared_ptr<MemoryNetwork>& network, int own) {
      communicators.push_back(
          std::make_unique<ScheduleCommunicator>("memory", network->fabric(own), Topology::flat(2), ScheduleOptions{}));
      buffers.emplace_back(operation, own, 2, false);
      parts.push_back({group, communicators.back().get(), operation, {}});
    };
    if (rank < 2) join(0, first, rank);
    if (rank > 0) join(1, second, rank - 1);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].buffers = buffers[i].get();
    const auto progress = play(parts, times, 0, std::chrono::seconds(30));
    ASSERT_EQ(progress.size(), parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(progress[i].end_us.size(), static_cast<std::size_t>(times[parts[i].group]));
      EXPECT_TRUE(std::is_sorted(progress[i].end_us.begin(), progress[i].end_us.end()));
      buffers[i].expect_right();
    }
  });
}

TEST(Window, that_does_not_end_is_timed_out) {
  const auto network = MemoryNetwork::create(2, {}), other = MemoryNetwork::create(2, {});
  const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, 10};
  ScheduleCommunicator a("memory", network->fabric(0), Topology::flat(2), {});
  ScheduleCommunicator b("memory", other->fabric(0), Topology::flat(2), {});
  TestBuffers one(operation, 0, 2, false), two(operation, 0, 2, false);
  const std::vector<Part> parts{{0, &a, operation, one.get()}, {1, &b, operation, two.get()}};
  try {
    play(parts, std::vector<int>{1, 1}, 0, std::chrono::milliseconds(50));
    FAIL() << "ended";
  } catch (const TimedOut& error) {
    EXPECT_TRUE(error.is_told()) << "names no rank: " << error.what();
  }
}

}  // namespace
}  // namespace ringmark::mix
