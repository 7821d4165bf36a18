#include "accept/measurements.hpp"

#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

Criteria criteria_with(std::map<std::string, sweep::Value> arguments) {
  Criteria criteria;
  criteria.fabric.hosts = {"a", "b", "c"};
  criteria.arguments = std::move(arguments);
  criteria.arguments_line = 4;
  return criteria;
}

TEST(AcceptedArguments, are_those_that_both_programs_take) {
  EXPECT_EQ(to_text(argument_problems(criteria_with({{"transport", "tcp"}, {"tcp.sockets", "2"}}), "c.yaml")), "");
  const auto problems = argument_problems(criteria_with({{"max-tme", "1"}}), "c.yaml");
  ASSERT_EQ(problems.size(), 1U) << to_text(problems);
  EXPECT_EQ(problems[0].place, (Place{"c.yaml", 4}));
}

TEST(AcceptedArguments, may_give_the_connections_under_load) {
  auto criteria = criteria_with({{"transport", "tcp"}, {"tcp.sockets", "4"}});
  criteria.fabric.leaves = {{"left", {0, 1}}, {"right", {2}}};
  EXPECT_EQ(to_text(argument_problems(criteria, "c.yaml")), "");
  EXPECT_FALSE(loaded_measurement(criteria, {0, 1, 2}).arguments.contains("tcp.sockets"));
  criteria.arguments.erase("tcp.sockets");
  EXPECT_EQ(loaded_measurement(criteria, {0, 1, 2}).arguments.at("tcp.sockets"), "8");
}

TEST(AcceptedArguments, may_be_those_of_one_stage) {
  auto criteria = criteria_with({{"transport", "tcp"}, {"max-time", "1"}});
  criteria.arguments_of[Stage::together] = {{"algorithm", "ring"}, {"max-time", "2"}};
  EXPECT_EQ(to_text(argument_problems(criteria, "c.yaml")), "") << "ringmark-link has no --algorithm";
  const auto together = sweep_on({0, 1, 2}, criteria, together_measurement(criteria)).arguments;
  EXPECT_EQ(value_of(together, "algorithm"), "ring");
  EXPECT_EQ(value_of(together, "max-time"), "2");
  const auto links = sweep_on({0, 1, 2}, criteria, links_measurement(criteria, {0, 1, 2})).arguments;
  EXPECT_FALSE(links.contains("algorithm"));
  EXPECT_EQ(value_of(links, "max-time"), "1");
  criteria.arguments_of[Stage::together]["sizes"] = "1M";
  EXPECT_NE(to_text(argument_problems(criteria, "c.yaml")), "") << "the stage sets it itself";
}

TEST(AcceptedArguments, are_none_that_the_stages_set) {
  const auto problems = argument_problems(criteria_with({{"sizes", "1M"}}), "c.yaml");
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].flag, "arguments.sizes");
}

TEST(AcceptedArguments, of_a_soak_are_checked_and_may_be_times) {
  using namespace std::chrono_literals;
  for (const std::chrono::milliseconds soak : {1000ms, 20'000ms, 86'400'000ms})
    EXPECT_EQ(to_text(argument_problems(criteria_with({{"max-time", "0.2"}, {"precision", "1"}}), "c.yaml", soak)), "");
}

TEST(AcceptedArguments, of_the_step_are_checked_as_the_replayer_takes_them) {
  auto criteria = criteria_with({{"transport", "tcp"}});
  criteria.stages = {Stage::step};
  criteria.step = {{"model", "opt-125m"}, {"zero", "2"}, {"slow-down", "1=1.5"}};
  criteria.step_line = 7;
  EXPECT_EQ(to_text(argument_problems(criteria, "c.yaml")), "");
  criteria.step["modle"] = "opt-125m";
  const auto problems = argument_problems(criteria, "c.yaml");
  ASSERT_EQ(problems.size(), 1U) << to_text(problems);
  EXPECT_EQ(problems[0].place, (Place{"c.yaml", 7}));
}

TEST(Measurement, has_a_row_of_each_test_for_each_pair) {
  auto criteria = criteria_with({});
  EXPECT_EQ(links_measurement(criteria, {0, 1, 2}).link_rows, 12U) << "six pairs, two tests";
  EXPECT_EQ(links_measurement(criteria, std::vector<std::size_t>(71)).link_rows, 2 * 32 * 70U) << "one rests";
  EXPECT_EQ(loaded_measurement(criteria, {0, 1, 2}).link_rows, 4 * 2U);
  EXPECT_EQ(together_measurement(criteria).link_rows, 0U);
}

TEST(Measurement, of_rails_has_a_rank_for_each_nic) {
  auto criteria = criteria_with({});
  criteria.fabric.rails = 2;
  criteria.fabric.leaves = {{"left", {0, 1}}, {"right", {2}}};
  const auto rails = rails_measurement(criteria, {0, 1, 2});
  EXPECT_EQ(rails.ranks_per_host, 2U);
  EXPECT_EQ(rails.link_rows, 2 * 12U);
  EXPECT_EQ(rails.arguments.at("leaf-of"), "0,0,0,0,1,1");
  EXPECT_EQ(links_measurement(criteria, {0, 1, 2}).ranks_per_host, 1U);
  EXPECT_EQ(sweep_on({0, 2}, criteria, rails).ranks, 4);
  EXPECT_FALSE(argument_problems(criteria, "c.yaml").empty()) << "nobody says which NICs the ranks take";
  criteria.is_box = true;
  EXPECT_EQ(to_text(argument_problems(criteria, "c.yaml")), "");
  EXPECT_EQ(sweep_on({0, 2}, criteria, rails).arguments.at("tcp.interface"), "e0,e1");
  const auto groups = leaf_groups(criteria, {0, 1, 2});
  ASSERT_EQ(groups.size(), 1U) << "a single host is no group";
  EXPECT_EQ(groups[0].ranks, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(leaves_measurement(criteria, {0, 1, 2}).arguments.at("groups"), "0,1,2,3");
}

TEST(Measurement, of_a_step_computes_for_real_unless_hosts_share_cores) {
  auto criteria = criteria_with({});
  EXPECT_EQ(step_measurement(criteria).arguments.at("compute"), "work");
  criteria.is_box = true;
  EXPECT_EQ(step_measurement(criteria).arguments.at("compute"), "auto");
  criteria.arguments["transport"] = "nccl";
  EXPECT_EQ(step_measurement(criteria).arguments.at("compute"), "gpu");
  criteria.step = {{"trace", "step.jsonl"}, {"compute", "busy"}};
  EXPECT_EQ(step_measurement(criteria).arguments.at("compute"), "busy");
  EXPECT_FALSE(step_measurement(criteria).arguments.contains("model"));
}

}  // namespace
}  // namespace ringmark::accept
