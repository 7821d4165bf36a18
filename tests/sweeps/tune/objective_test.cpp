#include "sweeps/tune/objective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct Reading {
  Objective objective;
  std::vector<std::string> problems;
};

Reading objective_in(const std::string& text) {
  YamlReader read("s.yaml");
  auto objective = read_objective(read, read_yaml("s.yaml", text), "/nowhere/s.yaml");
  return {std::move(objective), testing_support::texts(read.problems())};
}

TEST(ObjectiveTest, is_a_size_several_with_weights_or_a_column) {
  const auto one = objective_in("64K");
  EXPECT_THAT(one.problems, IsEmpty());
  EXPECT_THAT(one.objective.weights, ElementsAre(Pair(65536, 1)));
  EXPECT_EQ(describe(one.objective), "median time at 64K (µs)");
  const auto several = objective_in("{sizes: {1M: 1, 64K: 2.5}}");
  EXPECT_THAT(several.problems, IsEmpty());
  EXPECT_THAT(several.objective.weights, ElementsAre(Pair(65536, 2.5), Pair(1 << 20, 1)));
  EXPECT_EQ(describe(several.objective), "weighted time over 2 sizes (µs)");
  const auto column = objective_in("{column: issue_us_p50}");
  EXPECT_THAT(column.problems, IsEmpty());
  EXPECT_THAT(column.objective.weights, IsEmpty());
  EXPECT_EQ(describe(column.objective), "mean issue_us_p50");
}

TEST(ObjectiveTest, that_is_none_is_told) {
  EXPECT_THAT(objective_in("fast").problems, ElementsAre(HasSubstr("'fast'")));
  EXPECT_THAT(objective_in("{sizes: {big: 1}}").problems, ElementsAre(HasSubstr("'big'")));
  EXPECT_THAT(objective_in("{sizes: {1K: 1}, column: time_us_p50}").problems,
              ElementsAre(HasSubstr("give one of sizes, trace and column")));
  EXPECT_THAT(objective_in("{column: busbw_GBps}").problems, ElementsAre(HasSubstr("larger values of")));
  EXPECT_THAT(objective_in("{trace: none.jsonl}").problems, ElementsAre(HasSubstr("/nowhere/none.jsonl")));
}

Record measured(std::uint64_t size, double time, Status status = Status::ok) {
  return {.size_bytes = size, .time_us_p50 = time, .busbw_GBps = 1 / time, .status = status};
}

TEST(ObjectiveTest, weighs_sizes_and_interpolates_between_them) {
  const Objective objective{{{1024, 2}, {4096, 1}}, "time_us_p50"};
  EXPECT_DOUBLE_EQ(*score(objective, {measured(1024, 10), measured(4096, 30)}), 50);
  // In place and out of place count once.
  EXPECT_DOUBLE_EQ(*score(objective, {measured(1024, 8), measured(1024, 12), measured(4096, 30)}), 50);
  // Twice the size in twice the time: a power law between the neighbours.
  EXPECT_NEAR(*score({{{2048, 1}}, "time_us_p50"}, {measured(1024, 10), measured(4096, 40)}), 20, 1e-9);
}

TEST(ObjectiveTest, is_nothing_for_what_failed_or_was_not_measured) {
  const Objective objective{{{1024, 1}}, "time_us_p50"};
  EXPECT_EQ(score(objective, {}), std::nullopt);
  EXPECT_EQ(score(objective, {measured(1024, 10), measured(1024, 9, Status::wrong)}), std::nullopt);
  EXPECT_EQ(score(objective, {measured(2048, 10), measured(4096, 20)}), std::nullopt) << "below what was measured";
  EXPECT_EQ(score(objective, {measured(512, 10)}), std::nullopt) << "above what was measured";
  EXPECT_DOUBLE_EQ(*score(objective, {measured(1020, 10)}), 10) << "rounded down to whole blocks";
  EXPECT_DOUBLE_EQ(*score({{}, "busbw_GBps"}, {measured(8, 4)}), 0.25);
  EXPECT_EQ(score({{}, "no_such_column"}, {measured(8, 4)}), std::nullopt);
}

}  // namespace
}  // namespace ringmark::sweep
