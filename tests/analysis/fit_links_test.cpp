// Links that are found again from the times that they make, with noise.
#include "analysis/fit_links.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/fit_limits.hpp"
#include "replay/predict/network.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class FitOfLinks : public testing::Test {
 protected:
  static constexpr int ranks_per_node = 8;

  Record row(Collective collective, int nodes, std::uint64_t size) {
    auto links = truth_;
    links.has_LL128_between = true;
    replay::Event event;
    event.kind = replay::EventKind::collective;
    event.collective = collective;
    event.elements = size / 4;
    event.type = DataType::float32;
    const int ranks = nodes * ranks_per_node;
    const double us = replay::make_network(links)->time(event, {}, ranks).total_us;
    auto row = measured("r", us * std::exp(std::normal_distribution(0.0, 0.02)(random_)), size, ranks);
    row.collective = collective;
    if (collective != Collective::all_reduce) row.op = {};
    row.transport = Transport::nccl;
    row.network = Network::ib;
    row.algorithm_used = "";
    row.nodes = nodes;
    return row;
  }
  void measure(Collective collective, int nodes, std::uint64_t least = 1024, std::uint64_t most = 4ULL << 30) {
    for (auto size = least; size <= most; size *= 2) table_.add(row(collective, nodes, size), "made", 1);
  }
  std::vector<FitLinks> fitted() { return fit_links(table_, all_rows(table_), notes_); }

  replay::Links truth_{.between = {12, 180},
                       .within = replay::Link{4, 330},
                       .ranks_per_node = ranks_per_node,
                       .transport = Transport::nccl,
                       .launch_us = 9};
  Table table_;
  std::vector<std::string> notes_;
  std::mt19937_64 random_{7};
};

TEST_F(FitOfLinks, tells_those_within_nodes_from_those_between) {
  for (const int nodes : {1, 2, 4}) measure(Collective::all_reduce, nodes);
  const auto all = fitted();
  ASSERT_EQ(all.size(), 1U);
  const auto& links = all[0];
  ASSERT_TRUE(links.within && links.between);
  EXPECT_NEAR(links.within->GBps, 330, 0.03 * 330);
  EXPECT_NEAR(links.between->GBps, 180, 0.03 * 180);
  EXPECT_NEAR(links.within->alpha_us.value(), 4, 0.4);
  EXPECT_NEAR(links.between->alpha_us.value(), 12, 1.2);
  EXPECT_NEAR(links.launch_us, 9, 0.9);
  EXPECT_EQ(links.ranks_per_node, ranks_per_node);
  EXPECT_EQ(links.nodes, (std::vector<int>{1, 2, 4}));
  EXPECT_LT(links.residual_percent, 2.5);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(FitOfLinks, has_the_larger_bandwidth_where_two_nodes_leave_it_open_and_says_so) {
  truth_.between.GBps = 300;
  for (const int nodes : {1, 2}) measure(Collective::all_reduce, nodes);
  EXPECT_NEAR(fitted().at(0).between->GBps, 300, 0.05 * 300);
  EXPECT_THAT(notes_, Contains(HasSubstr("two nodes")));
  measure(Collective::all_gather, 2);
  notes_.clear();
  EXPECT_NEAR(fitted().at(0).between->GBps, 300, 0.05 * 300);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(FitOfLinks, without_small_sizes_have_no_alpha) {
  for (const int nodes : {1, 4}) measure(Collective::all_gather, nodes, 1ULL << 30, 32ULL << 30);
  const auto links = fitted().at(0);
  EXPECT_FALSE(links.between->alpha_us);
  EXPECT_NEAR(links.between->GBps, 180, 0.03 * 180);
  EXPECT_THAT(notes_, Contains(HasSubstr("no alpha between nodes")));
}

TEST_F(FitOfLinks, of_one_node_has_none_between) {
  measure(Collective::reduce_scatter, 1);
  const auto links = fitted().at(0);
  EXPECT_FALSE(links.between);
  EXPECT_NEAR(links.within->GBps, 330, 0.03 * 330);
}

TEST_F(FitOfLinks, are_refused_where_a_node_would_need_more_links_than_ranks) {
  Fit fit;
  fit.links = {{.between = FitLink{10, 410}, .ranks_per_node = 8}};
  judge_rates(fit, table_, {}, 50, notes_);
  EXPECT_EQ(fit.links.size(), 1U) << "8 adapters of 400 Gbit/s, and some noise";
  judge_rates(fit, table_, {}, 25, notes_);
  EXPECT_THAT(fit.links, IsEmpty());
  EXPECT_THAT(notes_, Contains(HasSubstr("410")));
}

TEST_F(FitOfLinks, leaves_out_rows_of_others_and_of_a_forced_algorithm) {
  for (std::uint64_t size = 1024; size <= 1 << 24; size *= 2) {
    auto forced = row(Collective::all_reduce, 2, size);
    forced.settings["NCCL_ALGO"] = "Tree";
    table_.add(forced, "made", 1);
    auto tcp = row(Collective::all_reduce, 2, size);
    tcp.transport = Transport::tcp;
    table_.add(tcp, "made", 1);
    auto exchanged = row(Collective::all_to_all, 2, size);
    table_.add(exchanged, "made", 1);
  }
  EXPECT_THAT(fitted(), IsEmpty());
}

}  // namespace
}  // namespace ringmark::analysis
