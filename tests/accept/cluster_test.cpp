#include "accept/cluster.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"

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

TEST(AcceptedArguments, are_none_that_the_rungs_set) {
  const auto problems = argument_problems(criteria_with({{"sizes", "1M"}}), "c.yaml");
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].flag, "arguments.sizes");
}

TEST(Cluster, keeps_measurements_of_the_same_hosts_only) {
  const testing_support::ResultFolder folder;
  const auto criteria = criteria_with({});
  Cluster cluster(criteria, folder.path());
  cluster.measure_on({0, 1, 2});
  std::ofstream(folder.file("links-001.csv")) << "measured";
  cluster.measure_on({0, 1, 2});
  EXPECT_TRUE(std::filesystem::exists(folder.file("links-001.csv")));
  cluster.measure_on({0, 2});
  EXPECT_FALSE(std::filesystem::exists(folder.file("links-001.csv")));
}

}  // namespace
}  // namespace ringmark::accept
