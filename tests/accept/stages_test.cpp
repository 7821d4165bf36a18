// Summaries and remarks of the stages, and when a stage stops measuring.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/accept/stages_fixture.hpp"

namespace ringmark::accept {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class StagesTest : public AcceptanceTest {
 protected:
  /// A link's rate, and that of a leaf, is now 10 % higher and now 10 % lower, so that few rounds decide nothing.
  void scatter_widely() {
    const auto wide = [this] { return 10 * (1 + 0.1 * std::sin(1.7 * ++calls_)); };
    cluster.rate = [wide](const auto&, auto, auto) { return wide(); };
    cluster.rate_of_leaf = [wide](auto) { return wide(); };
  }

 private:
  int calls_ = 0;
};

TEST_F(StagesTest, the_summary_of_links_has_their_number_and_their_rate) {
  criteria.stages = {Stage::links};
  const auto summary = ran().stages.back().summary;
  EXPECT_THAT(summary, HasSubstr("56 links of 10 GB/s"));
  EXPECT_THAT(summary, Not(HasSubstr("undecided")));
}

TEST_F(StagesTest, links_of_one_trouble_are_counted) {
  criteria.stages = {Stage::links};
  cluster.change_pair = [](Record& row) {
    const auto& [from, to] = std::pair(row.link->source, row.link->destination);
    if ((from == 1 && to == 2) || (from == 5 && to == 7)) row.status = Status::wrong;
  };
  EXPECT_THAT(parts(ran().stages.back()), ElementsAre("host-1 to host-2 and 1 other link"));
}

TEST_F(StagesTest, links_that_scatter_widely_are_measured_until_the_budget_is_spent) {
  scatter_widely();
  criteria.stages = {Stage::links};
  const auto free = ran().stages.back();
  EXPECT_GT(free.rounds, 3U);
  criteria.budget = std::chrono::milliseconds(0);
  cluster.launches.clear();
  const auto bound = ran().stages.back();
  EXPECT_EQ(bound.rounds, 3U);
  EXPECT_EQ(bound.outcome, Outcome::undecided);
  EXPECT_THAT(bound.summary, HasSubstr("undecided at the end of the budget"));
}

TEST_F(StagesTest, leaves_that_scatter_widely_are_measured_until_the_budget_is_spent) {
  scatter_widely();
  criteria.stages = {Stage::leaves};
  EXPECT_GT(ran().stages.back().rounds, 3U);
  criteria.budget = std::chrono::milliseconds(0);
  cluster.launches.clear();
  EXPECT_EQ(ran().stages.back().rounds, 3U);
}

TEST_F(StagesTest, warnings_name_their_hosts) {
  criteria.stages = {Stage::nodes};
  for (const auto host : all_hosts(criteria)) cluster.seen.complaints[host] = {};
  for (const std::size_t host : {1U, 3U, 6U})
    cluster.seen.complaints[host] = {{false, "mtu", "e0", "1500 bytes", "", ""}};
  const auto nodes = ran().stages.back();
  EXPECT_EQ(nodes.outcome, Outcome::pass);
  EXPECT_THAT(nodes.remarks, ElementsAre(HasSubstr("host-1, host-3, host-6")));
}

TEST_F(StagesTest, the_summary_of_the_step_has_its_times) {
  criteria.stages = {Stage::step};
  const auto summary = ran().stages.back().summary;
  EXPECT_THAT(summary, HasSubstr("8 ranks"));
  double step_ms = 0, computed_ms = 0;
  ASSERT_EQ(std::sscanf(summary.c_str(), "step of %lf ms on 8 ranks, including %lf", &step_ms, &computed_ms), 2);
  EXPECT_NEAR(step_ms, 10, 0.1);
  EXPECT_NEAR(computed_ms, 5, 0.1);
}

TEST_F(StagesTest, a_lost_rank_that_no_host_has_drains_nobody) {
  criteria.stages = {Stage::nodes, Stage::links};
  cluster.seen.facts.erase(5);
  cluster.seen.why_not[5] = "No route to host";
  sweep::LaunchRows lost;
  lost.failure = "exit status 3";
  lost.lost_rank = LostRank{7, "", "its connection closed"};
  cluster.failures["links"] = lost;
  const auto result = ran();
  ASSERT_EQ(result.stages.back().stage, Stage::links) << "seven hosts are left";
  EXPECT_THAT(drained(result.stages.back()), IsEmpty());
}

}  // namespace
}  // namespace ringmark::accept
