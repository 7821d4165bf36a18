#include "bench/harness/pinning.hpp"

#include <array>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/rank_group.hpp"
#include "tests/contract/thread_bootstrap.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST(CoreShare, is_who_may_use_the_same_cores) {
  constexpr int ranks = 3;
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(ranks);
  std::array<CoreShare, ranks> shares;
  in_threads(ranks, [&](int rank) {
    if (rank == 2) bind_to({usable_cores().front()});
    ThreadBootstrap bootstrap(meeting, rank);
    shares[static_cast<std::size_t>(rank)] = core_share(bootstrap);
  });
  if (shares[0].cores == 1) GTEST_SKIP() << "there is one core";
  EXPECT_EQ(shares[0].ranks, 2);
  EXPECT_EQ(shares[1].number, 1);
  EXPECT_EQ(shares[2].ranks, 1);
  EXPECT_EQ(shares[2].number, 0);
  EXPECT_FALSE(shares[2].is_tight());
}

TEST(Pinning, is_a_core_to_stay_on_where_ranks_outnumber_cores) {
  std::thread([] {
    const CoreShare tight{.ranks = 3, .number = 1, .cores = 2}, loose{.ranks = 2, .number = 1, .cores = 2};
    EXPECT_NE(pin("auto", tight, "lo").sticky_core, nullptr);
    EXPECT_EQ(pin("auto", loose, "lo").sticky_core, nullptr);
    EXPECT_EQ(pin("none", tight, "lo").sticky_core, nullptr);
    EXPECT_THAT(pin("numa", tight, "lo").ignored, AllOf(testing::HasSubstr("tcp.pin=numa"), testing::HasSubstr("lo ")));
    const auto before = usable_cores();
    EXPECT_EQ(pin("core", loose, "lo").sticky_core, nullptr);
    EXPECT_EQ(usable_cores(), std::vector{before[1 % before.size()]});
  }).join();
}

}  // namespace
}  // namespace ringmark
