// Links that are found again from the times that they make, with noise.
#include "analysis/fit/fit_links.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/fit/fit_limits.hpp"
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
  EXPECT_THAT(notes_, Contains(HasSubstr("do not determine alpha between nodes: also measure smaller sizes")));
}

/// Links whose latency is the same for all collectives and sizes, which NCCL's algorithms do not have.
class FitOfFixedLatency : public FitOfLinks {
 protected:
  void measure_fixed(Collective collective, int nodes, double us, double GBps) {
    for (auto size = 8ULL; size <= 8ULL << 30; size *= 2) {
      auto made = row(collective, nodes, std::max<std::uint64_t>(size, 8));
      const double n = nodes * ranks_per_node, passes = collective == Collective::all_reduce ? 2 : 1;
      const double noise = std::exp(std::normal_distribution(0.0, 0.02)(random_));
      const double time_us = (us + static_cast<double>(size) * passes * (n - 1) / n / GBps / 1e3) * noise;
      made.time_us_p50 = time_us;
      table_.add(made, "made", 1);
    }
  }
};

TEST_F(FitOfFixedLatency, has_no_more_bandwidth_than_a_log_shows_and_warns_of_its_misses) {
  measure_fixed(Collective::all_reduce, 1, 25, 440);
  measure_fixed(Collective::all_reduce, 4, 55, 370);
  const auto alone = fitted().at(0);
  EXPECT_LT(alone.between->GBps, 1.06 * 370) << "the noise of a size, and no more";
  EXPECT_GT(alone.between->GBps, 0.94 * 370);
  EXPECT_LT(alone.within->GBps, 1.06 * 440);
  // The sizes begin at 8 bytes.
  EXPECT_THAT(notes_, testing::Not(Contains(HasSubstr("smaller sizes"))));
  EXPECT_THAT(notes_, testing::Not(Contains(HasSubstr("WARNING"))));
  for (const auto collective : {Collective::all_gather, Collective::reduce_scatter}) {
    measure_fixed(collective, 1, 22, 340);
    measure_fixed(collective, 4, 95, 340);
  }
  notes_.clear();
  const auto all = fitted().at(0);
  EXPECT_GT(all.residual_percent, 10);
  EXPECT_LT(all.between->GBps, 1.06 * 370);
  EXPECT_THAT(notes_, Contains(testing::AllOf(HasSubstr("WARNING"), HasSubstr("misses its own measurements"),
                                              HasSubstr("all_gather and reduce_scatter for ZeRO 3"))));
}

TEST_F(FitOfFixedLatency, warns_of_more_than_an_adapter_for_each_rank) {
  measure_fixed(Collective::all_gather, 4, 60, 600);
  fitted();
  EXPECT_THAT(notes_, Contains(testing::AllOf(HasSubstr("WARNING"), HasSubstr("400 Gbit/s"), HasSubstr("400 GB/s"))));
}

TEST_F(FitOfLinks, that_still_grow_at_the_largest_size_may_be_faster_than_any_bus_bandwidth) {
  measure(Collective::all_gather, 1, 1024, 16ULL << 20);
  measure(Collective::all_gather, 4, 1024, 16ULL << 20);
  EXPECT_NEAR(fitted().at(0).between->GBps, 180, 0.1 * 180);
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
    forced.settings.others["NCCL_ALGO"] = "Tree";
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
