#include "sweeps/file/plan.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

Sweep read(const std::string& rest) {
  auto file = read_sweep("question: Why?\nprogram: all-reduce\n" + rest, "s.yaml");
  EXPECT_TRUE(file.problems.empty()) << to_text(file.problems);
  return file.sweep;
}

std::vector<std::string> settings_of(const std::string& rest) {
  const auto sweep = read(rest);
  const Plan plan(sweep);
  std::vector<std::string> settings;
  for (std::size_t point = 0; point < plan.size(); ++point)
    settings.push_back(describe(sweep.variables, plan.setting(point)));
  return settings;
}

TEST(Plan, is_the_product_of_what_is_not_zipped_without_what_is_excluded) {
  EXPECT_EQ(settings_of("variables: {a: [1, 2], b: [x, unset], c: [p, q]}\nzip: [[a, c]]\n"
                        "exclude: [{a: 2, b: unset}]\n"),
            (std::vector<std::string>{"a=1 b=x c=p", "a=1 b=unset c=p", "a=2 b=x c=q"}));
  EXPECT_EQ(settings_of(""), std::vector<std::string>{"the only setting"});
}

TEST(Plan, an_exclusion_takes_any_of_the_values_that_it_lists) {
  EXPECT_EQ(settings_of("variables: {a: [1, 2, 3], b: [x, y]}\nexclude: [{a: [1, 3], b: y}, {a: 2}]\n"),
            (std::vector<std::string>{"a=1 b=x", "a=3 b=x"}));
}

TEST(Plan, an_empty_or_endless_one_is_refused) {
  EXPECT_THROW(Plan(read("variables: {a: [1]}\nexclude: [{a: 1}]\n")), std::invalid_argument);
  const std::string range = "{from: 1, to: 1000, step: 1}";
  EXPECT_THROW(Plan(read("variables: {a: " + range + ", b: " + range + ", c: " + range + "}\n")),
               std::invalid_argument);
}

TEST(Plan, launches_that_nobody_can_wait_for_are_refused) {
  const Plan plan(read("repetitions: 100000\nvariables: {a: {from: 1, to: 1000, step: 1}}\n"));
  EXPECT_THROW(plan.launches(), BadUsage);
}

TEST(Plan, the_default_is_where_nothing_is_set) {
  const auto sweep = read("variables: {a: [1, unset], b: [x, y], c: [2, 4, unset]}\n");
  const Plan plan(sweep);
  EXPECT_EQ(describe(sweep.variables, plan.setting(plan.default_point())), "a=unset b=x c=unset");
}

TEST(Plan, neighbours_differ_on_one_axis) {
  const auto sweep =
      read("variables: {a: [1, 2, 3], b: [x, y], c: [p, q, r]}\nzip: [[a, c]]\nexclude: [{a: 3, b: x}]\n");
  const Plan plan(sweep);
  std::set<std::string> near;
  for (const auto point : plan.neighbours(0)) near.insert(describe(sweep.variables, plan.setting(point)));
  EXPECT_EQ(near, (std::set<std::string>{"a=2 b=x c=q", "a=1 b=y c=p"}));
}

TEST(Plan, neighbours_come_before_and_after) {
  const auto sweep = read("variables: {a: [1, 2, 3], b: [x, y]}\n");
  const Plan plan(sweep);
  std::set<std::string> near;
  for (std::size_t point = 0; point < plan.size(); ++point) {
    if (describe(sweep.variables, plan.setting(point)) != "a=2 b=y") continue;
    for (const auto other : plan.neighbours(point)) near.insert(describe(sweep.variables, plan.setting(other)));
  }
  EXPECT_EQ(near, (std::set<std::string>{"a=1 b=y", "a=3 b=y", "a=2 b=x"}));
}

TEST(Plan, repetitions_are_passes_over_all_in_an_order_of_their_own_that_the_seed_decides) {
  const std::string variables = "variables: {a: {from: 1, to: 50, step: 1}}\nrepetitions: 3\n";
  const Plan plan(read(variables + "seed: 7\n"));
  const auto launches = plan.launches();
  ASSERT_EQ(launches.size(), 150U);
  std::vector<std::vector<std::size_t>> passes(3);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    EXPECT_EQ(launches[i].repetition, static_cast<int>(i / 50));
    passes[i / 50].push_back(launches[i].point);
  }
  for (const auto& pass : passes) EXPECT_EQ(std::set<std::size_t>(pass.begin(), pass.end()).size(), 50U);
  EXPECT_NE(passes[0], passes[1]);
  const auto points = [](const std::vector<PlannedLaunch>& all) {
    std::vector<std::size_t> each;
    for (const auto& launch : all) each.push_back(launch.point);
    return each;
  };
  EXPECT_EQ(points(Plan(read(variables + "seed: 7\n")).launches()), points(launches));
  EXPECT_NE(points(Plan(read(variables + "seed: 8\n")).launches()), points(launches));
  const auto listed = points(Plan(read(variables + "order: listed\n")).launches());
  EXPECT_TRUE(std::is_sorted(listed.begin(), listed.begin() + 50));
}

TEST(Plan, a_hundred_thousand_points_are_planned) {
  const Plan plan(
      read("variables: {a: {from: 1, to: 100, step: 1}, b: {from: 1, to: 100, step: 1}, c: [1, 2, 3, 4, 5, 6, "
           "7, 8, 9, 10]}\nexclude: [{a: 1}]\n"));
  EXPECT_EQ(plan.size(), 99'000U);
  EXPECT_EQ(plan.launches().size(), 99'000U);
}

}  // namespace
}  // namespace ringmark::sweep
