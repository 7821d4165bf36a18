#include "accept/run_stages.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/accept/stages_fixture.hpp"

namespace ringmark::accept {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(AcceptanceTest, a_sound_cluster_passes_every_stage_that_its_fabric_has) {
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::pass);
  EXPECT_THAT(told, ElementsAre(Stage::nodes, Stage::links, Stage::leaves, Stage::together, Stage::step));
  EXPECT_TRUE(result.left_out.empty());
  ASSERT_TRUE(result.stages[1].pairs);
  EXPECT_THAT(result.stages[1].pairs->rates, SizeIs(8 * 7));
  EXPECT_EQ(cluster.launches["links"], cluster.launches["loaded"]);
}

TEST_F(AcceptanceTest, stops_above_the_stage_that_fails_and_measures_nothing_more) {
  cluster.rate = [](const auto&, std::size_t from, std::size_t to) { return from == 3 || to == 3 ? 7.0 : 10.0; };
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_THAT(result.stages, SizeIs(2));
  EXPECT_THAT(parts(result.stages[1]), ElementsAre("host-3"));
  EXPECT_THAT(drained(result.stages[1]), ElementsAre("host-3"));
  EXPECT_FALSE(result.stages[1].findings.front().look_at.empty());
  EXPECT_THAT(result.left_out, ElementsAre(Stage::leaves, Stage::together, Stage::step));
  EXPECT_EQ(cluster.launches.count("leaves") + cluster.launches.count("together") + cluster.launches.count("step"), 0U);
}

TEST_F(AcceptanceTest, infers_leaves_that_are_not_told_and_blames_their_uplinks) {
  criteria.fabric.leaves.clear();
  criteria.stages = possible_stages(criteria.fabric);
  cluster.answer_us = [](auto from, auto to) { return from / 2 == to / 2 ? 10.0 : 12.0; };
  cluster.rate = [](const auto&, std::size_t from, std::size_t to) {
    return (from / 2 == 1) != (to / 2 == 1) ? 6.0 : 10.0;
  };
  const auto result = ran();
  EXPECT_THAT(parts(result.stages.back()), ElementsAre("uplinks of host-2's leaf"));
  EXPECT_THAT(drained(result.stages.back()), IsEmpty());
  ASSERT_THAT(result.stages.back().remarks, SizeIs(1));
  EXPECT_THAT(result.stages.back().remarks.front(), HasSubstr("host-0 host-1, host-2 host-3, host-4 host-5"));
  cluster.answer_us = [](auto, auto) { return 10.0; };
  EXPECT_THAT(ran().stages.back().remarks, IsEmpty()) << "nothing tells leaves apart";
}

TEST_F(AcceptanceTest, judges_the_links_of_the_others_if_a_host_does_not_answer) {
  cluster.seen.facts.erase(5);
  cluster.seen.why_not[5] = "No route to host";
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_THAT(result.stages, SizeIs(2));
  EXPECT_THAT(drained(result.stages[0]), ElementsAre("host-5"));
  EXPECT_EQ(result.stages[1].outcome, Outcome::pass);
  EXPECT_THAT(result.stages[1].pairs.value().rates, SizeIs(7 * 6));
  cluster.seen.facts.clear();
  EXPECT_THROW(ran(), std::runtime_error) << "that says nothing of the hosts";
}

TEST_F(AcceptanceTest, a_host_that_the_doctor_did_not_examine_leaves_the_stage_undecided) {
  cluster.seen.why_not_examined[2] = "no such program";
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_EQ(result.stages[0].outcome, Outcome::undecided);
  EXPECT_THAT(result.stages[0].undecided, SizeIs(1));
  EXPECT_THAT(drained(result.stages[0]), SizeIs(0));
  EXPECT_EQ(result.stages[1].outcome, Outcome::pass) << "links are judged all the same";
}

TEST_F(AcceptanceTest, a_problem_of_one_host_fails_it_and_one_of_all_is_told) {
  criteria.stages = {Stage::nodes};
  const Complaint problem{true, "rdma_port", "mlx5_0:1", "state DOWN", "", "ibstat"};
  for (const auto host : all_hosts(criteria)) cluster.seen.complaints[host] = {};
  cluster.seen.complaints[6] = {problem};
  const auto one = ran();
  EXPECT_THAT(drained(one.stages[0]), ElementsAre("host-6"));
  for (const auto host : all_hosts(criteria)) cluster.seen.complaints[host] = {problem};
  const auto all = ran();
  EXPECT_EQ(all.outcome, Outcome::pass);
  EXPECT_THAT(all.stages[0].remarks, SizeIs(1));
}

TEST_F(AcceptanceTest, the_stage_of_rails_names_the_nic_that_is_dead) {
  criteria.fabric.rails = 2;
  criteria.stages = possible_stages(criteria.fabric);
  cluster.rate = [](const std::string& stage, std::size_t from, std::size_t to) {
    return stage == "rails" && (from == 9 || to == 9) ? 0.001 : 10.0;
  };
  const auto result = ran();
  ASSERT_EQ(result.stages.back().stage, Stage::rails);
  EXPECT_THAT(parts(result.stages.back()), ElementsAre("rail 2 of host-4"));
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-4"));
}

TEST_F(AcceptanceTest, the_stage_of_leaves_names_the_slow_one_and_drains_nobody) {
  cluster.rate_of_leaf = [](std::size_t leaf) { return leaf == 2 ? 8.0 : 10.0; };
  const auto result = ran();
  ASSERT_EQ(result.stages.back().stage, Stage::leaves);
  EXPECT_THAT(parts(result.stages.back()), ElementsAre("leaf3"));
  EXPECT_TRUE(drained(result.stages.back()).empty());
}

TEST_F(AcceptanceTest, the_step_names_the_rank_that_computes_slowly) {
  cluster.computes_longer = [](std::size_t host) { return host == 1 ? 1.2 : 1.0; };
  const auto result = ran();
  ASSERT_EQ(result.stages.back().stage, Stage::step);
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-1"));
}

TEST_F(AcceptanceTest, expectations_of_the_whole_are_held) {
  criteria.busbw_GBps = 12;
  auto result = ran();
  EXPECT_EQ(result.stages.back().stage, Stage::together);
  EXPECT_EQ(result.outcome, Outcome::fail);
  criteria.busbw_GBps = 10;
  criteria.step_ms = 8;
  result = ran();
  EXPECT_THAT(parts(result.stages.back()), ElementsAre("the step"));
  criteria.step_ms = 10;
  EXPECT_EQ(ran().outcome, Outcome::pass);
}

TEST_F(AcceptanceTest, without_a_stage_of_links_nothing_is_said_of_them) {
  criteria.busbw_GBps = 12;
  const auto evidence = ran().stages.back().findings.at(0).evidence;
  EXPECT_NE(evidence.find("link"), std::string::npos) << evidence;
  criteria.stages = {Stage::nodes, Stage::together};
  const auto alone = ran().stages.back().findings.at(0).evidence;
  EXPECT_EQ(alone.find("link"), std::string::npos) << alone;
}

TEST_F(AcceptanceTest, a_row_without_figures_says_why_its_stage_is_undecided) {
  sweep::LaunchRows silent;
  silent.rows.emplace_back();
  silent.rows.back().detail = "no samples";
  cluster.failures["step"] = silent;
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_NE(result.stages.back().summary.find("no samples"), std::string::npos);
}

TEST_F(AcceptanceTest, a_launch_that_loses_a_rank_names_its_host) {
  sweep::LaunchRows lost;
  lost.failure = "exit status 3";
  lost.lost_rank = LostRank{4, "host-4", "its connection closed"};
  cluster.failures["together"] = lost;
  const auto result = ran();
  EXPECT_EQ(result.stages.back().stage, Stage::together);
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-4"));
}

TEST_F(AcceptanceTest, a_host_on_which_the_launcher_saw_a_process_die_is_named) {
  sweep::LostProcess lost;
  lost.host = "host-5.cluster";
  lost.reason = "killed by signal 9 (Killed)";
  cluster.failures["together"].failure = "lost a rank on host-5";
  cluster.failures["together"].lost_rank = lost;
  const auto result = ran();
  EXPECT_EQ(result.stages.back().stage, Stage::together);
  EXPECT_EQ(result.stages.back().outcome, Outcome::fail);
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-5"));
}

TEST_F(AcceptanceTest, a_launch_that_names_no_rank_is_explained_by_a_host_that_has_changed) {
  sweep::LaunchRows failed;
  failed.failure = failed.account = "exit status 255";
  cluster.failures["together"] = failed;
  EXPECT_THAT(parts(ran().stages.back()), ElementsAre("the launch")) << "no host has changed";
  cluster.before_launch = [this](const std::string& stage) {
    if (stage != "together") return;
    cluster.seen.facts.erase(6);
    cluster.seen.why_not[6] = "No route to host";
  };
  cluster.launches.clear();
  const auto result = ran();
  EXPECT_EQ(result.stages.back().stage, Stage::together);
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-6"));
  EXPECT_THAT(result.stages.back().summary, HasSubstr("exit status 255"));
}

TEST_F(AcceptanceTest, a_scan_that_loses_a_host_names_it_and_judges_the_links_of_the_others) {
  sweep::LaunchRows lost;
  lost.lost_rank = LostRank{4, "host-4", "nothing heard from its host"};
  cluster.failures["links"] = lost;
  cluster.before_launch = [this](const std::string& /*stage*/) {
    if (cluster.launches["links"] > 0) cluster.failures.clear();
  };
  const auto result = ran();
  const auto& links = result.stages.back();
  EXPECT_EQ(links.stage, Stage::links);
  EXPECT_EQ(links.outcome, Outcome::fail);
  EXPECT_THAT(drained(links), ElementsAre("host-4"));
  EXPECT_THAT(links.pairs.value().rates, SizeIs(7 * 6));
  EXPECT_THAT(links.undecided, IsEmpty());
}

class FlapTest : public AcceptanceTest {
 protected:
  FlapTest() {
    criteria.fabric.leaves.clear();
    criteria.stages = {Stage::nodes, Stage::links, Stage::together};
    for (const auto host : all_hosts(criteria)) went_down(host, 2);
  }
  void went_down(std::size_t host, int times) {
    cluster.seen.facts[host]["interfaces"]["e0"] = {{"carrier_down_count", std::to_string(times)}, {"driver", "ice"}};
  }
};

TEST_F(FlapTest, a_link_that_went_down_before_is_none_that_goes_down) { EXPECT_EQ(ran().outcome, Outcome::pass); }

TEST_F(FlapTest, a_link_that_goes_down_while_a_stage_passes_fails_it_and_names_the_host) {
  cluster.before_launch = [this](const std::string& /*stage*/) {
    if (cluster.launches["links"] == 1) went_down(5, 4);
  };
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_EQ(result.stages.back().stage, Stage::links);
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-5"));
}

TEST_F(FlapTest, counts_from_the_first_visit_also_without_the_stage_of_nodes) {
  criteria.stages = {Stage::together};
  cluster.before_launch = [this](const std::string& /*stage*/) { went_down(1, 3); };
  EXPECT_THAT(drained(ran().stages.back()), ElementsAre("host-1"));
}

TEST_F(FlapTest, explains_a_launch_that_failed) {
  sweep::LaunchRows failed;
  failed.failure = "exit status 255";
  cluster.failures["together"] = failed;
  cluster.before_launch = [this](const std::string& stage) {
    if (stage == "together") went_down(5, 4);
  };
  const auto result = ran();
  EXPECT_EQ(result.stages.back().stage, Stage::together);
  EXPECT_THAT(drained(result.stages.back()), ElementsAre("host-5"));
}

TEST_F(AcceptanceTest, a_pair_that_fails_once_is_never_passed_and_is_named) {
  cluster.change_pair = [this](Record& row) {
    if (cluster.launches["links"] != 1 || row.link->source != 3 || row.link->destination != 5) return;
    row.status = Status::failed;
    row.detail = "its connection closed";
  };
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  ASSERT_THAT(result.stages.back().undecided, SizeIs(1));
  EXPECT_THAT(result.stages.back().undecided.front(), HasSubstr("host-3 to host-5"));
}

TEST_F(AcceptanceTest, a_host_that_does_not_answer_after_a_stage_leaves_it_open) {
  criteria.stages = {Stage::together};
  cluster.before_launch = [this](const std::string& /*stage*/) { cluster.seen.facts.erase(2); };
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_THAT(result.stages.back().undecided, ElementsAre(HasSubstr("host-2")));
}

TEST_F(AcceptanceTest, launches_of_different_algorithms_are_not_judged_together) {
  criteria.stages = {Stage::together};
  criteria.busbw_GBps = 12;
  cluster.algorithm = [](int launch) { return launch % 2 == 1 ? "ring" : "tree"; };
  auto result = ran();
  ASSERT_THAT(result.stages.back().undecided, SizeIs(testing::Ge(1U)));
  EXPECT_THAT(result.stages.back().undecided.back(), testing::AllOf(HasSubstr("ring"), HasSubstr("tree")));
  criteria.busbw_GBps.reset();
  EXPECT_EQ(ran().outcome, Outcome::pass) << "nothing is judged";
}

TEST_F(AcceptanceTest, an_expectation_holds_for_its_own_algorithm) {
  criteria.stages = {Stage::together};
  criteria.busbw_GBps = 12;
  criteria.busbw_algorithm = "tree";
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_THAT(result.stages.back().findings, IsEmpty());
  EXPECT_THAT(result.stages.back().undecided, ElementsAre(HasSubstr("tree")));
  criteria.busbw_algorithm = "ring";
  EXPECT_EQ(ran().outcome, Outcome::fail);
}

TEST_F(AcceptanceTest, a_budget_that_is_spent_leaves_its_stage_undecided) {
  cluster.is_spent_in = "leaves";
  const auto result = ran();
  EXPECT_EQ(result.outcome, Outcome::undecided);
  EXPECT_EQ(result.stages.back().stage, Stage::leaves);
  EXPECT_THAT(result.left_out, ElementsAre(Stage::together, Stage::step));
}

TEST_F(AcceptanceTest, hosts_that_a_spent_budget_did_not_ask_are_not_blamed) {
  cluster.seen.facts.erase(5);
  cluster.seen.why_not[5] = "no answer within 20 s";
  cluster.seen.is_cut_off = true;
  const auto nodes = ran().stages.front();
  EXPECT_EQ(nodes.outcome, Outcome::undecided);
  EXPECT_THAT(drained(nodes), IsEmpty());
  EXPECT_THAT(nodes.undecided, ElementsAre(HasSubstr("host-5")));
}

}  // namespace
}  // namespace ringmark::accept
