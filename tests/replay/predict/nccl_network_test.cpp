// Times of NCCL's algorithms, told by hand from their steps and bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/predict/network.hpp"

namespace ringmark::replay {
namespace {

constexpr double gigabyte = 1e9, us_per_GB_at_100_GBps = 1e4;

class Nccl : public testing::Test {
 protected:
  CollectiveTime time(Collective collective, double bytes, int ranks, const Group& group = {}) {
    Event event;
    event.kind = EventKind::collective;
    event.collective = collective;
    event.elements = static_cast<std::uint64_t>(bytes);
    event.type = DataType::uint8;
    return make_network(links_)->time(event, group, ranks);
  }
  double us(Collective collective, double bytes, int ranks, const Group& group = {}) {
    return time(collective, bytes, ranks, group).total_us;
  }

  Links links_{.between = {10, 100}, .within = Link{5, 300}, .ranks_per_node = 8, .transport = Transport::nccl};
};

TEST_F(Nccl, gathers_by_a_ring_in_which_each_step_waits_for_its_own_link) {
  // 16 ranks: of 15 steps one leaves the node.
  const double steps_us = 14 * 5 + 10, bytes_us = 15.0 / 16 * us_per_GB_at_100_GBps;
  const auto gathered = time(Collective::all_gather, gigabyte, 16);
  EXPECT_NEAR(gathered.total_us, steps_us + bytes_us, 1e-6);
  EXPECT_NEAR(gathered.bytes_us, bytes_us, 1e-6);
  EXPECT_TRUE(gathered.is_between_hosts);
  EXPECT_NEAR(us(Collective::reduce_scatter, gigabyte, 16), steps_us + bytes_us, 1e-6);
  EXPECT_NEAR(us(Collective::broadcast, gigabyte, 16), steps_us + us_per_GB_at_100_GBps, 1e-6);
}

TEST_F(Nccl, reduces_long_vectors_of_many_nodes_by_the_ring) {
  constexpr int nodes = 4, ranks = 8 * nodes;
  EXPECT_NEAR(us(Collective::all_reduce, gigabyte, ranks),
              2 * ((ranks - nodes) * 5 + (nodes - 1) * 10) + 2 * 31.0 / 32 * us_per_GB_at_100_GBps, 1e-6);
}

TEST_F(Nccl, reduces_long_vectors_of_two_nodes_by_trees_that_pass_them_once) {
  const double bytes_us = us_per_GB_at_100_GBps / 0.92;
  EXPECT_NEAR(us(Collective::all_reduce, gigabyte, 16), 2 * (7 * 5 * 1.18 + 10) + bytes_us, 1e-6);
  links_.between.GBps = 1000;
  EXPECT_NEAR(us(Collective::all_reduce, gigabyte, 16), 2 * (14 * 5 + 10) + 2 * 15.0 / 16 * us_per_GB_at_100_GBps / 3,
              1e-6)
      << "the ring, since a tree loads the links within nodes twice";
}

TEST_F(Nccl, reduces_short_vectors_by_a_tree_in_the_short_steps_of_LL) {
  // 64 nodes have 6 levels.
  EXPECT_NEAR(us(Collective::all_reduce, 8, 512), 2 * (7 * 5 * 0.18 + 6 * 10 * 0.36), 0.01);
}

TEST_F(Nccl, has_LL_in_no_more_than_its_own_bandwidth) {
  // LL reaches half of 100 gigabyte/s, but no more than 45 in two nodes; a ring of 16.
  constexpr double bytes = 320'000;
  const double steps_us = 14 * 5 * 0.18 + 10 * 0.19, bytes_us = 15.0 / 16 * bytes / 45e3;
  EXPECT_NEAR(us(Collective::all_gather, bytes, 16), steps_us + bytes_us, 1e-6);
}

TEST_F(Nccl, has_LL128_within_nodes_of_NVLink_alone) {
  constexpr double bytes = 8e6;
  const auto by_simple = [&](double GBps) { return 7 * 5 + 7.0 / 8 * bytes / (GBps * 1e3); };
  const auto within = time(Collective::all_gather, bytes, 8);
  EXPECT_FALSE(within.is_between_hosts);
  EXPECT_NEAR(within.total_us, 7 * 5 * 0.56 + 7.0 / 8 * bytes / (300e3 * 0.92), 1e-6);
  EXPECT_LT(within.total_us, by_simple(300));
  links_.within->GBps = 50;
  EXPECT_NEAR(us(Collective::all_gather, bytes, 8), by_simple(50), 1e-6);
}

TEST_F(Nccl, gathers_by_PAT_where_a_node_has_one_rank) {
  links_.ranks_per_node = 1;
  EXPECT_NEAR(us(Collective::all_gather, 1.024e6, 1024), 10 * 10 + 1.023e6 / 75e3, 1e-6);
  EXPECT_NEAR(us(Collective::all_gather, 100 * gigabyte, 4), 3 * 10 + 75 * us_per_GB_at_100_GBps, 1e-6)
      << "long: the ring";
}

TEST_F(Nccl, has_a_nodes_link_shared_by_groups_of_every_nth_rank) {
  const Group across{"across", Group::Kind::stride, 8};
  EXPECT_NEAR(us(Collective::all_gather, gigabyte, 32, across), 3 * 10 + 8 * 0.75 * us_per_GB_at_100_GBps, 1e-6);
  const Group every_second{"every second", Group::Kind::stride, 2};
  EXPECT_NEAR(us(Collective::all_gather, gigabyte, 32, every_second),
              12 * 5 + 3 * 10 + 2 * 15.0 / 16 * us_per_GB_at_100_GBps, 1e-6)
      << "four of its ranks are in each node";
}

TEST_F(Nccl, exchanges_directly) {
  // Of 16 parts 8 leave the node, whose 8 ranks send at once.
  const double outer_us = 0.5 * 8 * us_per_GB_at_100_GBps;
  EXPECT_NEAR(us(Collective::all_to_all, gigabyte, 16), 7 * 5 + 8 * 10 + outer_us, 1e-6);
  EXPECT_NEAR(us(Collective::send_recv, gigabyte, 16), 10 + us_per_GB_at_100_GBps, 1e-6);
  EXPECT_NEAR(us(Collective::send_recv, gigabyte, 8), 5 + us_per_GB_at_100_GBps / 3, 1e-6);
}

TEST_F(Nccl, takes_no_time_alone) { EXPECT_EQ(us(Collective::all_reduce, gigabyte, 1), 0); }

TEST_F(Nccl, is_not_what_other_transports_have) {
  const double by_nccl = us(Collective::all_reduce, 8, 512);
  links_.transport = Transport::tcp;
  EXPECT_GT(us(Collective::all_reduce, 8, 512), 1.5 * by_nccl);
}

Fit fit_of_links() {
  Fit fit;
  fit.links = {{.network = "ib",
                .between = FitLink{12, 380},
                .within = FitLink{4, 410},
                .ranks_per_node = 4,
                .nodes = {1, 2},
                .launch_us = 9}};
  return fit;
}

TEST(NcclFits, give_the_links_of_their_choice) {
  auto fit = fit_of_links();
  const auto links = fitted_links(fit, {}).value();
  EXPECT_EQ(links.between.GBps, 380);
  EXPECT_EQ(links.within->alpha_us, 4);
  EXPECT_EQ(links.ranks_per_node, 4);
  EXPECT_EQ(links.launch_us, 9);
  EXPECT_FALSE(fitted_links(fit, {"tcp", ""}));
  fit.models.emplace_back().transport = "tcp";
  EXPECT_FALSE(fitted_links(fit, {})) << "which of the two?";
  EXPECT_TRUE(fitted_links(fit, {"nccl", ""}));
  fit.links.push_back(fit.links[0]);
  fit.links[1].network = "roce";
  EXPECT_THROW(fitted_links(fit, {"nccl", ""}), BadUsage);
  EXPECT_TRUE(fitted_links(fit, {"nccl", "roce"}));
}

TEST(NcclFits, without_a_node_alone_assume_the_links_within) {
  auto fit = fit_of_links();
  fit.links[0].within.reset();
  const auto links = fitted_links(fit, {}).value();
  EXPECT_EQ(links.within->GBps, 380);
  EXPECT_LT(links.within->alpha_us, 12);
  EXPECT_THAT(links.source, testing::HasSubstr("assumed"));
  fit.links[0].ranks_per_node = 1;
  EXPECT_FALSE(fitted_links(fit, {})->within);
}

TEST(NcclFits, take_given_values_in_place_of_their_own) {
  auto fit = fit_of_links();
  fit.links[0].between->alpha_us.reset();
  fit.links[0].within->alpha_us.reset();
  EXPECT_THROW(fitted_links(fit, {}, {.alpha_us = 15}), BadUsage) << "alpha within nodes is still unknown";
  const auto alphas = fitted_links(fit, {}, {.alpha_us = 15, .within_alpha_us = 3}).value();
  EXPECT_EQ(alphas.between.alpha_us, 15);
  EXPECT_EQ(alphas.between.GBps, 380);
  EXPECT_EQ(alphas.within->alpha_us, 3);
  EXPECT_EQ(alphas.within->GBps, 410);
  EXPECT_THAT(alphas.source, testing::HasSubstr("alpha between nodes as given"));
  const auto within = fitted_links(fit, {}, {.alpha_us = 15, .within_alpha_us = 3, .within_GBps = 200}).value();
  EXPECT_EQ(within.within->GBps, 200);
}

TEST(NcclFits, without_an_alpha_ask_for_what_would_show_it) {
  auto links = fit_of_links().links[0];
  links.from_bytes = 1 << 20;
  EXPECT_THAT(why_no_alpha(links, "between nodes"), testing::HasSubstr("from 1K up"));
  links.from_bytes = 8;
  EXPECT_THAT(why_no_alpha(links, "between nodes"), testing::HasSubstr("other numbers of nodes"));
  EXPECT_THAT(why_no_alpha(links, "within nodes"), testing::HasSubstr("all_gather"));
}

TEST(NcclFits, that_lack_what_a_prediction_needs_are_told) {
  auto fit = fit_of_links();
  fit.links[0].between->alpha_us.reset();
  EXPECT_THROW(fitted_links(fit, {}), BadUsage);
  fit.links[0].between.reset();
  EXPECT_FALSE(fitted_links(fit, {})) << "one node alone: its measured times are left";
}

}  // namespace
}  // namespace ringmark::replay
