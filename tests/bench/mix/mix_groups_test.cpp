#include "bench/mix/mix_groups.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::mix {
namespace {

MixGroup with_share(double share, Collective collective = Collective::all_reduce) {
  MixGroup group;
  group.share = share;
  group.collective = collective;
  group.size_bytes = 1024;
  return group;
}

MixGroup of_ranks(std::vector<int> ranks, Collective collective) {
  MixGroup group;
  group.ranks = std::move(ranks);
  group.collective = collective;
  group.size_bytes = 1024;
  return group;
}

TEST(MixGroups, shares_are_drawn_among_ranks_that_no_group_names) {
  const std::vector<MixGroup> mix{of_ranks({0, 1}, Collective::all_gather), with_share(0.25),
                                  with_share(0.25, Collective::all_to_all), with_share(1)};
  const auto groups = with_ranks(mix, 12, 5);
  EXPECT_EQ(groups[1].ranks.size(), 3U);
  EXPECT_EQ(groups[2].ranks.size(), 3U);
  EXPECT_EQ(groups[3].ranks.size(), 12U);
  for (const int rank : groups[1].ranks) {
    EXPECT_GT(rank, 1);
    EXPECT_FALSE(groups[2].has(rank));
  }
  EXPECT_EQ(with_ranks(mix, 12, 5)[1].ranks, groups[1].ranks);
  EXPECT_THROW(with_ranks(mix, 4, 5), BadUsage) << "a group of one rank";
}

TEST(MixGroups, that_cannot_be_are_refused) {
  const auto refused_flag = [](const MixGroup& group, int ranks) -> std::string {
    try {
      with_ranks({group}, ranks, 1);
    } catch (const BadUsage& error) {
      return error.problems().front().flag;
    }
    return "";
  };
  auto broadcast = of_ranks({0, 1, 2, 3}, Collective::broadcast);
  broadcast.root = 3;
  EXPECT_EQ(refused_flag(broadcast, 4), "");
  EXPECT_EQ(refused_flag(broadcast, 3), "ranks");
  broadcast.root = 4;
  EXPECT_EQ(refused_flag(broadcast, 4), "root");
  EXPECT_EQ(refused_flag(of_ranks({0, 1, 1}, Collective::broadcast), 4), "ranks");
  auto exchange = of_ranks({0, 1, 2, 3}, Collective::all_to_all);
  exchange.counts = IncastCounts{4};
  EXPECT_EQ(refused_flag(exchange, 4), "counts");
  exchange.counts.reset();
  exchange.size_bytes = 8;
  EXPECT_EQ(refused_flag(exchange, 4), "size");
}

TEST(MixGroups, may_not_be_two_on_the_gpu_of_a_rank) {
  const auto refused = [](std::vector<int> first, std::vector<int> second, Transport transport) {
    MixGroup one, two;
    one.ranks = std::move(first);
    one.transport = Transport::nccl;
    two.ranks = std::move(second);
    two.transport = transport;
    try {
      refuse_groups_that_share_a_gpu({one, two});
    } catch (const BadUsage& error) {
      EXPECT_EQ(error.problems().front().flag, "ranks");
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused({0, 1, 2}, {2, 3}, Transport::nccl));
  EXPECT_FALSE(refused({0, 1}, {2, 3}, Transport::nccl));
  EXPECT_FALSE(refused({0, 1, 2}, {2, 3}, Transport::tcp));
}

}  // namespace
}  // namespace ringmark::mix
