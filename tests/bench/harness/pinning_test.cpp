#include "bench/harness/pinning.hpp"

#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/rank_group.hpp"
#include "tests/contract/thread_bootstrap.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST(Crowd, is_who_may_use_the_same_cores) {
  constexpr int ranks = 3;
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(ranks);
  std::array<Crowd, ranks> crowds;
  in_threads(ranks, [&](int rank) {
    if (rank == 2) bind_to({usable_cores().front()});
    ThreadBootstrap bootstrap(meeting, rank);
    crowds[static_cast<std::size_t>(rank)] = crowd_of(bootstrap);
  });
  if (crowds[0].cores == 1) GTEST_SKIP() << "there is one core";
  EXPECT_EQ(crowds[0].ranks, 2);
  EXPECT_EQ(crowds[1].number, 1);
  EXPECT_EQ(crowds[2].ranks, 1);
  EXPECT_EQ(crowds[2].number, 0);
  EXPECT_FALSE(crowds[2].is_tight());
}

TEST(Pinning, is_a_seat_where_ranks_outnumber_cores) {
  std::thread([] {
    const Crowd tight{.ranks = 3, .number = 1, .cores = 2}, loose{.ranks = 2, .number = 1, .cores = 2};
    EXPECT_NE(pin("auto", tight, "lo").seat, nullptr);
    EXPECT_EQ(pin("auto", loose, "lo").seat, nullptr);
    EXPECT_EQ(pin("none", tight, "lo").seat, nullptr);
    EXPECT_EQ(pin("numa", tight, "lo").ignored, "tcp.pin=numa has no effect: lo tells no NUMA node");
    const auto before = usable_cores();
    EXPECT_EQ(pin("core", loose, "lo").seat, nullptr);
    EXPECT_EQ(usable_cores(), std::vector{before[1 % before.size()]});
  }).join();
}

}  // namespace
}  // namespace ringmark
