#include "bench/link/rounds.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

std::vector<std::string> own_hosts(int ranks) {
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back("host-" + std::to_string(rank) + " e0");
  return names;
}

bool is_disjoint(const LinkStep& step) {
  std::set<int> ranks;
  for (const auto& link : step) ranks.insert({link.source, link.destination});
  return ranks.size() == 2 * step.size();
}

std::map<std::pair<int, int>, int> counts(const std::vector<LinkStep>& steps) {
  std::map<std::pair<int, int>, int> counts;
  for (const auto& step : steps) {
    for (const auto& link : step) ++counts[{link.source, link.destination}];
  }
  return counts;
}

class RoundsTest : public testing::TestWithParam<int> {};

TEST_P(RoundsTest, have_each_pair_exactly_once_and_no_rank_twice) {
  const int ranks = GetParam();
  const auto rounds = plan_rounds({PairKind::all}, ranks);
  EXPECT_EQ(rounds.size(), static_cast<std::size_t>(ranks % 2 == 0 ? ranks - 1 : ranks));
  for (const auto& round : rounds) {
    EXPECT_TRUE(is_disjoint(round));
    EXPECT_EQ(round.size(), static_cast<std::size_t>(ranks / 2));
  }
  const auto pairs = counts(rounds);
  EXPECT_EQ(pairs.size(), static_cast<std::size_t>(ranks * (ranks - 1) / 2));
  for (const auto& [pair, times] : pairs) EXPECT_EQ(times, 1);
}

TEST_P(RoundsTest, as_steps_have_each_link_both_ways) {
  const int ranks = GetParam();
  for (const std::size_t most : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
    const auto steps = steps_of({PairKind::all}, own_hosts(ranks), most);
    const auto links = counts(steps);
    EXPECT_EQ(links.size(), count_links({PairKind::all}, ranks));
    for (const auto& [link, times] : links) EXPECT_EQ(times, 1);
    for (const auto& step : steps) EXPECT_TRUE(is_disjoint(step) && step.size() <= most && !step.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RoundsTest, testing::Values(2, 3, 4, 5, 8, 13, 64));

TEST(Rounds, have_rails_where_consecutive_ranks_share_a_host_of_their_own) {
  EXPECT_TRUE(are_rails({"a", "a", "b", "b"}, 2));
  EXPECT_TRUE(are_rails({"a", "b", "c"}, 1));
  EXPECT_FALSE(are_rails({"a", "b", "a", "b"}, 2)) << "placed in turn";
  EXPECT_FALSE(are_rails({"a", "a", "a", "a"}, 2)) << "pairs would stay within the host";
  EXPECT_FALSE(are_rails({"a", "a", "b", "c"}, 2));
  EXPECT_FALSE(are_rails({"a", "a", "b"}, 2));
}

TEST(Rounds, on_rails_join_ranks_of_the_same_rail_on_different_hosts) {
  constexpr int hosts = 5, rails = 3;
  for (const auto kind : {PairKind::all, PairKind::random, PairKind::incast}) {
    PairChoice choice{kind, 4};
    choice.rails = rails;
    choice.senders = 2;
    const bool is_incast = kind == PairKind::incast;
    std::size_t links = 0;
    for (const auto& step : plan_rounds(choice, hosts * rails)) {
      EXPECT_TRUE(is_incast || is_disjoint(step));
      links += (is_incast ? 1 : 2) * step.size();
      for (const auto& link : step) {
        EXPECT_EQ(link.source % rails, link.destination % rails);
        EXPECT_NE(link.source / rails, link.destination / rails);
      }
    }
    EXPECT_EQ(links, count_links(choice, hosts * rails));
    if (kind == PairKind::all) {
      EXPECT_EQ(links, std::size_t{hosts * (hosts - 1) * rails});
    }
  }
}

TEST(Rounds, of_a_thousand_hosts_are_all_there) {
  EXPECT_EQ(counts(steps_of({PairKind::all}, own_hosts(1024), 512)).size(), 1024U * 1023);
}

TEST(Rounds, random_ones_are_disjoint_and_the_same_for_every_rank) {
  const PairChoice pairs{PairKind::random, 5, 7};
  const auto rounds = plan_rounds(pairs, 9);
  EXPECT_EQ(rounds.size(), 5U);
  for (const auto& round : rounds) EXPECT_TRUE(is_disjoint(round) && round.size() == 4);
  EXPECT_EQ(rounds, plan_rounds(pairs, 9));
  EXPECT_NE(rounds, plan_rounds({PairKind::random, 5, 8}, 9));
  EXPECT_EQ(plan_rounds({PairKind::bisection}, 8).front().size(), 4U);
}

TEST(Rounds, of_incasts_have_each_rank_as_destination_once) {
  for (const auto& [ranks, senders] : {std::pair{4, 3}, {7, 2}, {12, 3}, {5, 1}}) {
    const PairChoice choice{.kind = PairKind::incast, .seed = 3, .senders = senders};
    const auto rounds = plan_rounds(choice, ranks);
    EXPECT_EQ(rounds.size(), count_rounds(choice, ranks));
    std::set<int> destinations;
    std::size_t links = 0;
    for (const auto& round : rounds) {
      std::set<int> taken;
      for (const auto& group : by_destination(round)) {
        EXPECT_EQ(group.size(), static_cast<std::size_t>(senders));
        EXPECT_TRUE(destinations.insert(group.front().destination).second);
        EXPECT_TRUE(taken.insert(group.front().destination).second);
        for (const auto& link : group) EXPECT_TRUE(taken.insert(link.source).second);
        links += group.size();
      }
    }
    EXPECT_EQ(destinations.size(), static_cast<std::size_t>(ranks));
    EXPECT_EQ(links, count_links(choice, ranks));
    EXPECT_EQ(rounds, plan_rounds(choice, ranks)) << "the same on all ranks";
  }
}

TEST(Rounds, of_incasts_stay_whole_as_steps) {
  const PairChoice choice{.kind = PairKind::incast, .senders = 3};
  const auto all = steps_of(choice, own_hosts(12), 1000), few = steps_of(choice, own_hosts(12), 5);
  EXPECT_EQ(all.size(), 4U) << "three incasts at once";
  EXPECT_EQ(few.size(), 12U) << "one at a time";
  for (const auto& step : few) EXPECT_EQ(by_destination(step).size(), 1U);
  const auto of_leaves = steps_of(choice, own_hosts(12), 1000, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  for (const auto& step : of_leaves) {
    std::size_t crossing = 0;
    for (const auto& group : by_destination(step))
      crossing += std::any_of(group.begin(), group.end(),
                              [](const LinkEnds& link) { return (link.source < 6) != (link.destination < 6); });
    EXPECT_LE(crossing, 1U);
  }
}

TEST(Rounds, ranks_that_share_a_way_out_take_turns) {
  const std::vector<std::string> ways_out{"a e0", "a e0", "b e0", "b e0", "c e0", "c e0"};
  const auto steps = steps_of({PairKind::all}, ways_out, 100);
  EXPECT_EQ(counts(steps).size(), 30U);
  for (const auto& step : steps) {
    std::multiset<std::string> ends;
    for (const auto& link : step) {
      std::set<std::string> own{ways_out[static_cast<std::size_t>(link.source)],
                                ways_out[static_cast<std::size_t>(link.destination)]};
      ends.insert(own.begin(), own.end());
    }
    for (const auto& end : ends) EXPECT_EQ(ends.count(end), 1U);
  }
  EXPECT_EQ(steps_of({PairKind::all}, std::vector<std::string>(4, "a lo"), 100).size(), 12U);
}

TEST(Pairs, are_read_as_written) {
  EXPECT_EQ(parse_pairs("first"), PairChoice{PairKind::first});
  EXPECT_EQ(parse_pairs("all"), PairChoice{PairKind::all});
  EXPECT_EQ(parse_pairs("rounds:3"), (PairChoice{PairKind::rounds, 3}));
  EXPECT_EQ(parse_pairs("random:12"), (PairChoice{PairKind::random, 12}));
  EXPECT_EQ(parse_pairs("incast:3"), (PairChoice{.kind = PairKind::incast, .senders = 3}));
  EXPECT_FALSE(problem_of(*parse_pairs("incast:3"), 4));
  EXPECT_TRUE(problem_of(*parse_pairs("incast:4"), 4));
  EXPECT_TRUE(problem_of(PairChoice{.kind = PairKind::incast, .rails = 2, .senders = 2}, 4));
  for (const char* wrong :
       {"", "incast", "incast:0", "some", "rounds", "rounds:", "rounds:0", "random:x", "all:3", "random:-1"})
    EXPECT_FALSE(parse_pairs(wrong)) << wrong;
  EXPECT_EQ(count_links({PairKind::rounds, 100}, 4), 12U);
  EXPECT_EQ(count_links({PairKind::first}, 4), 1U);
}

TEST(Rounds, of_known_leaves_have_steps_in_which_no_two_pairs_share_a_leafs_uplinks) {
  const std::vector<int> leaf_of{0, 0, 0, 1, 1, 1, 2, 2, 2};
  const auto steps = steps_of({PairKind::all}, own_hosts(9), 1000, leaf_of);
  EXPECT_EQ(counts(steps).size(), 72U);
  std::size_t most = 0;
  for (const auto& step : steps) {
    EXPECT_TRUE(is_disjoint(step));
    std::multiset<int> crossed;
    for (const auto& link : step) {
      const int from = leaf_of[static_cast<std::size_t>(link.source)],
                to = leaf_of[static_cast<std::size_t>(link.destination)];
      if (from != to) crossed.insert({from, to});
    }
    for (const int leaf : crossed) EXPECT_EQ(crossed.count(leaf), 1U);
    most = std::max(most, step.size());
  }
  EXPECT_EQ(most, 2U) << "a pair behind one leaf is at once with one that crosses";
}

}  // namespace
}  // namespace ringmark
