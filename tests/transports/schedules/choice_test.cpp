#include "transports/schedules/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

constexpr LinkCost gigabit{40, 8.37e-3};

TEST(AlgorithmChoice, follows_the_costs_of_the_link) {
  const AlgorithmChoice choice(Topology::flat(4), gigabit);
  EXPECT_EQ(choice.choose(Collective::all_reduce, 8), "recursive_doubling");
  // Two steps of the whole vector cost as much as four of its parts at 4 * alpha / beta = 19 KB.
  EXPECT_EQ(choice.choose(Collective::all_reduce, 16 << 10), "recursive_doubling");
  EXPECT_EQ(choice.choose(Collective::all_reduce, 32 << 10), "halving_doubling");
  EXPECT_EQ(choice.choose(Collective::all_reduce, 1 << 20), "ring");
}

TEST(AlgorithmChoice, moves_with_the_link) {
  const AlgorithmChoice quick(Topology::flat(4), {40, 1e-4}), slow(Topology::flat(4), {1, 1});
  EXPECT_EQ(quick.choose(Collective::all_reduce, 1 << 20), "recursive_doubling");
  EXPECT_EQ(slow.choose(Collective::all_reduce, 256), "ring");
}

TEST(AlgorithmChoice, takes_the_ring_where_it_costs_hardly_more) {
  const AlgorithmChoice choice(Topology::flat(4), gigabit);
  for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    EXPECT_EQ(choice.choose(collective, 64 << 20), "ring") << name(collective);
  }
}

TEST(AlgorithmChoice, takes_the_cheapest_where_there_is_no_network_to_load) {
  const AlgorithmChoice choice(Topology::nodes({0, 0, 0, 0}), gigabit);
  EXPECT_EQ(choice.choose(Collective::all_reduce, 64 << 20), "halving_doubling");
  EXPECT_EQ(choice.choose(Collective::reduce_scatter, 64 << 20), "recursive_halving");
  EXPECT_EQ(choice.choose(Collective::all_gather, 64 << 20), "recursive_doubling");
  EXPECT_EQ(AlgorithmChoice(Topology::nodes({0, 0, 0}), gigabit).choose(Collective::all_reduce, 64 << 20), "ring");
}

TEST(AlgorithmChoice, sends_a_root_s_blocks_through_a_tree_only_where_they_are_short_and_many) {
  for (const auto collective : {Collective::gather, Collective::scatter}) {
    for (const auto& hosts : {std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0}, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}}) {
      const AlgorithmChoice eight(Topology::nodes(hosts), gigabit);
      EXPECT_EQ(eight.choose(collective, 1024), "binomial_tree");
      EXPECT_EQ(eight.choose(collective, 16 << 20), "linear");
    }
    // Two steps either way: a message of a root that only sends costs half of one.
    const AlgorithmChoice four(Topology::flat(4), gigabit);
    EXPECT_EQ(four.choose(collective, 1024), "linear");
    EXPECT_DOUBLE_EQ(four.time_us(collective, "linear", 0), 2 * gigabit.alpha_us);
  }
}

TEST(AlgorithmChoice, counts_what_is_reduced) {
  // On two ranks recursive doubling takes one step less, sends as much, and reduces twice as much.
  const auto pair = Topology::nodes({0, 0});
  const LinkCost link{10, 2e-4, 1e-4};
  EXPECT_EQ(AlgorithmChoice(pair, {10, 2e-4}).choose(Collective::all_reduce, 64 << 20), "recursive_doubling");
  EXPECT_EQ(AlgorithmChoice(pair, link).choose(Collective::all_reduce, 64 << 20), "ring");
  EXPECT_EQ(AlgorithmChoice(pair, link).choose(Collective::all_reduce, 128 << 10), "recursive_doubling");
  EXPECT_EQ(AlgorithmChoice(pair, link_of_crossover(64 << 10)).choose(Collective::all_reduce, 64 << 20), "ring");
  EXPECT_DOUBLE_EQ(AlgorithmChoice(pair, link).time_us(Collective::all_reduce, "ring", 1'000'000), 20 + 200 + 50);
}

TEST(AlgorithmChoice, is_within_its_margin_of_the_cheapest) {
  for (const int ranks : {2, 3, 4, 5, 8, 13, 16, 1000}) {
    const AlgorithmChoice choice(Topology::flat(ranks), gigabit);
    for (std::size_t bytes = 4; bytes < std::size_t{1} << 32; bytes *= 4) {
      const auto chosen = choice.choose(Collective::all_reduce, bytes);
      double chosen_us = 0, least_us = 1e300;
      for (const auto& candidate : choice.candidates(Collective::all_reduce, bytes)) {
        least_us = std::min(least_us, candidate.time_us);
        if (candidate.algorithm == chosen) chosen_us = candidate.time_us;
      }
      EXPECT_LE(chosen_us, 1.05 * least_us) << ranks << " ranks, " << bytes << " bytes";
    }
  }
}

TEST(AlgorithmChoice, has_an_algorithm_for_every_collective_and_a_rank_alone) {
  for (const int ranks : {1, 2}) {
    for (const auto collective : all_collectives()) {
      EXPECT_FALSE(AlgorithmChoice(Topology::flat(ranks), assumed_link).choose(collective, 1024).empty());
    }
  }
}

TEST(AlgorithmChoice, takes_a_tree_for_short_vectors_of_a_root_and_a_chain_for_long_ones) {
  const AlgorithmChoice choice(Topology::flat(16), gigabit);
  for (const auto collective : {Collective::broadcast, Collective::reduce}) {
    EXPECT_EQ(choice.choose(collective, 8), "binomial_tree");
    EXPECT_EQ(choice.choose(collective, 64 << 20), "chain");
  }
  EXPECT_EQ(choice.choose(Collective::all_to_all, 128), "bruck");
  EXPECT_EQ(choice.choose(Collective::all_to_all, 64 << 20), "spread");
}

TEST(AlgorithmChoice, names_as_contenders_those_that_an_error_of_the_model_could_make_the_fastest) {
  const auto names = [](const AlgorithmChoice& choice, std::size_t bytes) {
    std::vector<std::string_view> all;
    for (const auto& each : choice.contenders(Collective::all_reduce, bytes)) all.push_back(each.algorithm);
    return all;
  };
  using testing::ElementsAre;
  const AlgorithmChoice flat(Topology::flat(8), gigabit);
  EXPECT_THAT(names(flat, 8), ElementsAre("recursive_doubling", "halving_doubling", "binomial_tree"));
  EXPECT_THAT(names(flat, 1 << 20), ElementsAre("ring", "recursive_doubling", "halving_doubling"));
  const AlgorithmChoice clustered(Topology::nodes({0, 0, 1, 1}), gigabit);
  EXPECT_THAT(names(clustered, 64 << 20), testing::Contains("two_level"));
  EXPECT_THAT(names(AlgorithmChoice(Topology::nodes({0, 0, 0, 0}), gigabit), 64 << 20),
              testing::Not(testing::Contains("two_level")));
}

TEST(AlgorithmChoice, tells_its_crossovers) {
  EXPECT_EQ(AlgorithmChoice(Topology::flat(4), gigabit).crossovers(Collective::all_reduce),
            "recursive_doubling up to 16K, halving_doubling up to 64K, then ring");
  EXPECT_EQ(AlgorithmChoice(Topology::flat(4), gigabit).crossovers(Collective::send_recv), "direct");
}

}  // namespace
}  // namespace ringmark
