#include "sweeps/training/sweep_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;

TEST(SweepText, is_read_again_as_it_was) {
  Sweep sweep{.question = "Does it: #1?", .programs = {Program::replay}};
  sweep.launcher = {LauncherKind::open_mpi, {"/opt/mpirun"}, {"--bind-to", "core"}};
  sweep.ranks = 8;
  sweep.ranks_per_node = 2;
  sweep.hosts = {"a", "b", "c", "d"};
  sweep.arguments = {{"trace", "/x y/s.jsonl"}, {"tcp.sockets", std::nullopt}};
  sweep.environment = {{"NCCL_ALGO", std::nullopt}, {"A", "yes"}};
  sweep.variables = {{"tcp.slice", Target::setting, {std::nullopt, "32K"}, true, 1, {}},
                     {"tcp.spin", Target::setting, {"0", "50"}, true, 1, {}},
                     {"device", Target::flag, {"a100", "unset"}, false, 1, {}}};
  sweep.zips = {{"tcp.slice", "tcp.spin"}};
  sweep.exclusions = {{{"tcp.slice", {std::nullopt}}, {"device", {"a100"}}}};
  sweep.repetitions = 3;
  sweep.seed = 7;
  sweep.deadline = std::chrono::milliseconds(1500);
  sweep.grace = std::chrono::milliseconds(250);
  sweep.tuning.search = Search::halving;
  sweep.tuning.budget_launches = 12;
  sweep.tuning.budget_time = std::chrono::seconds(90);
  sweep.tuning.verify_launches = 0;

  const auto file = read_sweep(text_of(sweep), "s.yaml");
  ASSERT_TRUE(file.problems.empty()) << to_text(file.problems);
  const auto& again = file.sweep;
  EXPECT_EQ(again.question, sweep.question);
  EXPECT_EQ(again.programs, sweep.programs);
  EXPECT_EQ(again.launcher.kind, sweep.launcher.kind);
  EXPECT_EQ(again.launcher.command, sweep.launcher.command);
  EXPECT_EQ(again.launcher.arguments, sweep.launcher.arguments);
  EXPECT_EQ(again.ranks, 8);
  EXPECT_EQ(again.ranks_per_node, 2);
  EXPECT_EQ(again.hosts, sweep.hosts);
  EXPECT_EQ(again.arguments, sweep.arguments);
  EXPECT_EQ(again.environment, sweep.environment);
  ASSERT_EQ(again.variables.size(), 3U);
  EXPECT_EQ(again.variables[0].values, sweep.variables[0].values);
  EXPECT_EQ(again.variables[2].values, sweep.variables[2].values) << "a text that reads unset";
  EXPECT_EQ(again.zips, sweep.zips);
  EXPECT_EQ(again.exclusions, sweep.exclusions);
  EXPECT_EQ(again.repetitions, 3);
  EXPECT_EQ(again.seed, 7U);
  EXPECT_EQ(again.deadline, sweep.deadline);
  EXPECT_EQ(again.grace, sweep.grace);
  EXPECT_EQ(again.tuning.search, Search::halving);
  EXPECT_EQ(again.tuning.budget_launches, 12);
  EXPECT_EQ(again.tuning.budget_time, sweep.tuning.budget_time);
  EXPECT_EQ(again.tuning.verify_launches, 0);
}

TEST(SweepText, keeps_a_launcher_of_ones_own) {
  Sweep sweep{.question = "Why?", .programs = {Program::link}};
  sweep.launcher = {LauncherKind::custom, {"jsrun", "-n{ranks}", "{command}"}, {}};
  const auto file = read_sweep(text_of(sweep), "s.yaml");
  ASSERT_TRUE(file.problems.empty()) << to_text(file.problems);
  EXPECT_THAT(file.sweep.launcher.command, ElementsAre("jsrun", "-n{ranks}", "{command}"));
}

}  // namespace
}  // namespace ringmark::sweep
