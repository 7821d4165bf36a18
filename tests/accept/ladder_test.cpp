#include "accept/ladder.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/accept/ladder_fixture.hpp"

namespace ringmark::accept {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(LadderTest, a_sound_cluster_passes_every_rung_that_its_fabric_has) {
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::pass);
  EXPECT_THAT(told, ElementsAre(Rung::nodes, Rung::links, Rung::leaves, Rung::together, Rung::step));
  EXPECT_TRUE(result.left_out.empty());
  ASSERT_TRUE(result.rungs[1].pairs);
  EXPECT_THAT(result.rungs[1].pairs->rates, SizeIs(8 * 7));
  EXPECT_EQ(cluster.launches["links"], cluster.launches["loaded"]);
}

TEST_F(LadderTest, stops_above_the_rung_that_fails_and_measures_nothing_more) {
  cluster.rate = [](const auto&, std::size_t from, std::size_t to) { return from == 3 || to == 3 ? 7.0 : 10.0; };
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_THAT(result.rungs, SizeIs(2));
  EXPECT_THAT(parts(result.rungs[1]), ElementsAre("host-3"));
  EXPECT_THAT(drained(result.rungs[1]), ElementsAre("host-3"));
  EXPECT_FALSE(result.rungs[1].findings.front().look_at.empty());
  EXPECT_THAT(result.left_out, ElementsAre(Rung::leaves, Rung::together, Rung::step));
  EXPECT_EQ(cluster.launches.count("leaves") + cluster.launches.count("together") + cluster.launches.count("step"), 0U);
}

TEST_F(LadderTest, infers_leaves_that_are_not_told_and_blames_their_uplinks) {
  criteria.fabric.leaves.clear();
  criteria.rungs = possible_rungs(criteria.fabric);
  cluster.answer_us = [](auto from, auto to) { return from / 2 == to / 2 ? 10.0 : 12.0; };
  cluster.rate = [](const auto&, std::size_t from, std::size_t to) {
    return (from / 2 == 1) != (to / 2 == 1) ? 6.0 : 10.0;
  };
  const auto result = climbed();
  EXPECT_THAT(parts(result.rungs.back()), ElementsAre("uplinks of host-2's leaf"));
  EXPECT_THAT(drained(result.rungs.back()), IsEmpty());
  ASSERT_THAT(result.rungs.back().remarks, SizeIs(1));
  EXPECT_THAT(result.rungs.back().remarks.front(), HasSubstr("host-0 host-1, host-2 host-3, host-4 host-5"));
  cluster.answer_us = [](auto, auto) { return 10.0; };
  EXPECT_THAT(climbed().rungs.back().remarks, IsEmpty()) << "nothing tells leaves apart";
}

TEST_F(LadderTest, judges_the_links_of_the_others_if_a_host_does_not_answer) {
  cluster.seen.facts.erase(5);
  cluster.seen.why_not[5] = "No route to host";
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_THAT(result.rungs, SizeIs(2));
  EXPECT_THAT(drained(result.rungs[0]), ElementsAre("host-5"));
  EXPECT_EQ(result.rungs[1].outcome, Outcome::pass);
  EXPECT_THAT(result.rungs[1].pairs.value().rates, SizeIs(7 * 6));
  cluster.seen.facts.clear();
  EXPECT_THROW(climbed(), std::runtime_error) << "that says nothing of the hosts";
}

TEST_F(LadderTest, a_host_that_the_doctor_did_not_examine_leaves_the_rung_undecided) {
  cluster.seen.why_not_examined[2] = "no such program";
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_EQ(result.rungs[0].outcome, Outcome::undecided);
  EXPECT_THAT(result.rungs[0].undecided, SizeIs(1));
  EXPECT_THAT(drained(result.rungs[0]), SizeIs(0));
  EXPECT_EQ(result.rungs[1].outcome, Outcome::pass) << "links are judged all the same";
}

TEST_F(LadderTest, a_problem_of_one_host_fails_it_and_one_of_all_is_told) {
  criteria.rungs = {Rung::nodes};
  const Complaint problem{true, "rdma_port", "mlx5_0:1", "state DOWN", "", "ibstat"};
  for (const auto host : all_hosts(criteria)) cluster.seen.complaints[host] = {};
  cluster.seen.complaints[6] = {problem};
  const auto one = climbed();
  EXPECT_THAT(drained(one.rungs[0]), ElementsAre("host-6"));
  for (const auto host : all_hosts(criteria)) cluster.seen.complaints[host] = {problem};
  const auto all = climbed();
  EXPECT_EQ(all.outcome, Outcome::pass);
  EXPECT_THAT(all.rungs[0].remarks, SizeIs(1));
}

TEST_F(LadderTest, the_rung_of_rails_names_the_nic_that_is_dead) {
  criteria.fabric.rails = 2;
  criteria.rungs = possible_rungs(criteria.fabric);
  cluster.rate = [](const std::string& rung, std::size_t from, std::size_t to) {
    return rung == "rails" && (from == 9 || to == 9) ? 0.001 : 10.0;
  };
  const auto result = climbed();
  ASSERT_EQ(result.rungs.back().rung, Rung::rails);
  EXPECT_THAT(parts(result.rungs.back()), ElementsAre("rail 2 of host-4"));
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-4"));
}

TEST_F(LadderTest, the_rung_of_leaves_names_the_slow_one_and_drains_nobody) {
  cluster.rate_of_leaf = [](std::size_t leaf) { return leaf == 2 ? 8.0 : 10.0; };
  const auto result = climbed();
  ASSERT_EQ(result.rungs.back().rung, Rung::leaves);
  EXPECT_THAT(parts(result.rungs.back()), ElementsAre("leaf3"));
  EXPECT_TRUE(drained(result.rungs.back()).empty());
}

TEST_F(LadderTest, the_step_names_the_rank_that_computes_slowly) {
  cluster.computes_longer = [](std::size_t host) { return host == 1 ? 1.2 : 1.0; };
  const auto result = climbed();
  ASSERT_EQ(result.rungs.back().rung, Rung::step);
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-1"));
}

TEST_F(LadderTest, expectations_of_the_whole_are_held) {
  criteria.busbw_GBps = 12;
  auto result = climbed();
  EXPECT_EQ(result.rungs.back().rung, Rung::together);
  EXPECT_EQ(result.outcome, Outcome::fail);
  criteria.busbw_GBps = 10;
  criteria.step_ms = 8;
  result = climbed();
  EXPECT_THAT(parts(result.rungs.back()), ElementsAre("the step"));
  criteria.step_ms = 10;
  EXPECT_EQ(climbed().outcome, Outcome::pass);
}

TEST_F(LadderTest, without_a_rung_of_links_nothing_is_said_of_them) {
  criteria.busbw_GBps = 12;
  const auto evidence = climbed().rungs.back().findings.at(0).evidence;
  EXPECT_NE(evidence.find("link"), std::string::npos) << evidence;
  criteria.rungs = {Rung::nodes, Rung::together};
  const auto alone = climbed().rungs.back().findings.at(0).evidence;
  EXPECT_EQ(alone.find("link"), std::string::npos) << alone;
}

TEST_F(LadderTest, a_row_without_figures_says_why_its_rung_is_undecided) {
  sweep::LaunchRows silent;
  silent.rows.emplace_back();
  silent.rows.back().detail = "no samples";
  cluster.failures["step"] = silent;
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_NE(result.rungs.back().summary.find("no samples"), std::string::npos);
}

TEST_F(LadderTest, a_launch_that_loses_a_rank_names_its_host) {
  sweep::LaunchRows lost;
  lost.failure = "exit status 3";
  lost.lost_rank = LostRank{4, "host-4", "its connection closed"};
  cluster.failures["together"] = lost;
  const auto result = climbed();
  EXPECT_EQ(result.rungs.back().rung, Rung::together);
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-4"));
}

TEST_F(LadderTest, a_host_on_which_the_launcher_saw_a_process_die_is_named) {
  sweep::LostProcess lost;
  lost.host = "host-5.cluster";
  lost.reason = "killed by signal 9 (Killed)";
  cluster.failures["together"].failure = "lost a rank on host-5";
  cluster.failures["together"].lost_rank = lost;
  const auto result = climbed();
  EXPECT_EQ(result.rungs.back().rung, Rung::together);
  EXPECT_EQ(result.rungs.back().outcome, Outcome::fail);
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-5"));
}

TEST_F(LadderTest, a_launch_that_names_no_rank_is_explained_by_a_host_that_has_changed) {
  sweep::LaunchRows failed;
  failed.failure = failed.account = "exit status 255";
  cluster.failures["together"] = failed;
  EXPECT_THAT(parts(climbed().rungs.back()), ElementsAre("the launch")) << "no host has changed";
  cluster.before_launch = [this](const std::string& rung) {
    if (rung != "together") return;
    cluster.seen.facts.erase(6);
    cluster.seen.why_not[6] = "No route to host";
  };
  cluster.launches.clear();
  const auto result = climbed();
  EXPECT_EQ(result.rungs.back().rung, Rung::together);
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-6"));
  EXPECT_THAT(result.rungs.back().summary, HasSubstr("exit status 255"));
}

TEST_F(LadderTest, a_scan_that_loses_a_host_names_it_and_judges_the_links_of_the_others) {
  sweep::LaunchRows lost;
  lost.lost_rank = LostRank{4, "host-4", "nothing heard from its host"};
  cluster.failures["links"] = lost;
  cluster.before_launch = [this](const std::string& /*rung*/) {
    if (cluster.launches["links"] > 0) cluster.failures.clear();
  };
  const auto result = climbed();
  const auto& links = result.rungs.back();
  EXPECT_EQ(links.rung, Rung::links);
  EXPECT_EQ(links.outcome, Outcome::fail);
  EXPECT_THAT(drained(links), ElementsAre("host-4"));
  EXPECT_THAT(links.pairs.value().rates, SizeIs(7 * 6));
  EXPECT_THAT(links.undecided, IsEmpty());
}

class FlapTest : public LadderTest {
 protected:
  FlapTest() {
    criteria.fabric.leaves.clear();
    criteria.rungs = {Rung::nodes, Rung::links, Rung::together};
    for (const auto host : all_hosts(criteria)) went_down(host, 2);
  }
  void went_down(std::size_t host, int times) {
    cluster.seen.facts[host]["interfaces"]["e0"] = {{"carrier_down_count", std::to_string(times)}, {"driver", "ice"}};
  }
};

TEST_F(FlapTest, a_link_that_went_down_before_is_none_that_goes_down) { EXPECT_EQ(climbed().outcome, Outcome::pass); }

TEST_F(FlapTest, a_link_that_goes_down_while_a_rung_passes_fails_it_and_names_the_host) {
  cluster.before_launch = [this](const std::string& /*rung*/) {
    if (cluster.launches["links"] == 1) went_down(5, 4);
  };
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_EQ(result.rungs.back().rung, Rung::links);
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-5"));
}

TEST_F(FlapTest, counts_from_the_first_visit_also_without_the_rung_of_nodes) {
  criteria.rungs = {Rung::together};
  cluster.before_launch = [this](const std::string& /*rung*/) { went_down(1, 3); };
  EXPECT_THAT(drained(climbed().rungs.back()), ElementsAre("host-1"));
}

TEST_F(FlapTest, explains_a_launch_that_failed) {
  sweep::LaunchRows failed;
  failed.failure = "exit status 255";
  cluster.failures["together"] = failed;
  cluster.before_launch = [this](const std::string& rung) {
    if (rung == "together") went_down(5, 4);
  };
  const auto result = climbed();
  EXPECT_EQ(result.rungs.back().rung, Rung::together);
  EXPECT_THAT(drained(result.rungs.back()), ElementsAre("host-5"));
}

TEST_F(LadderTest, a_pair_that_fails_once_is_never_passed_and_is_named) {
  cluster.change_pair = [this](Record& row) {
    if (cluster.launches["links"] != 1 || row.link->source != 3 || row.link->destination != 5) return;
    row.status = Status::failed;
    row.detail = "its connection closed";
  };
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  ASSERT_THAT(result.rungs.back().undecided, SizeIs(1));
  EXPECT_THAT(result.rungs.back().undecided.front(), HasSubstr("host-3 to host-5"));
}

TEST_F(LadderTest, a_host_that_does_not_answer_after_a_rung_leaves_it_open) {
  criteria.rungs = {Rung::together};
  cluster.before_launch = [this](const std::string& /*rung*/) { cluster.seen.facts.erase(2); };
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_THAT(result.rungs.back().undecided, ElementsAre(HasSubstr("host-2")));
}

TEST_F(LadderTest, launches_of_different_algorithms_are_not_judged_together) {
  criteria.rungs = {Rung::together};
  criteria.busbw_GBps = 12;
  cluster.algorithm = [](int launch) { return launch % 2 == 1 ? "ring" : "tree"; };
  auto result = climbed();
  ASSERT_THAT(result.rungs.back().undecided, SizeIs(testing::Ge(1U)));
  EXPECT_THAT(result.rungs.back().undecided.back(), testing::AllOf(HasSubstr("ring"), HasSubstr("tree")));
  criteria.busbw_GBps.reset();
  EXPECT_EQ(climbed().outcome, Outcome::pass) << "nothing is judged";
}

TEST_F(LadderTest, an_expectation_holds_for_its_own_algorithm) {
  criteria.rungs = {Rung::together};
  criteria.busbw_GBps = 12;
  criteria.busbw_algorithm = "tree";
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_THAT(result.rungs.back().findings, IsEmpty());
  EXPECT_THAT(result.rungs.back().undecided, ElementsAre(HasSubstr("tree")));
  criteria.busbw_algorithm = "ring";
  EXPECT_EQ(climbed().outcome, Outcome::fail);
}

TEST_F(LadderTest, a_budget_that_is_spent_leaves_its_rung_undecided) {
  cluster.is_spent_in = "leaves";
  const auto result = climbed();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_EQ(result.rungs.back().rung, Rung::leaves);
  EXPECT_THAT(result.left_out, ElementsAre(Rung::together, Rung::step));
}

TEST_F(LadderTest, hosts_that_a_spent_budget_did_not_ask_are_not_blamed) {
  cluster.seen.facts.erase(5);
  cluster.seen.why_not[5] = "no answer within 20 s";
  cluster.seen.is_cut_off = true;
  const auto nodes = climbed().rungs.front();
  EXPECT_EQ(nodes.outcome, Outcome::undecided);
  EXPECT_THAT(drained(nodes), IsEmpty());
  EXPECT_THAT(nodes.undecided, ElementsAre(HasSubstr("host-5")));
}

}  // namespace
}  // namespace ringmark::accept
