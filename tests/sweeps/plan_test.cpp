#include "sweeps/plan.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "sweeps/argument_check.hpp"
#include "sweeps/sweep_file.hpp"
#include "transports/errors.hpp"

namespace ringmark::sweep {
namespace {

Sweep read(const std::string& rest) {
  auto file = read_sweep("question: Why?\nprogram: all-reduce\n" + rest, "s.yaml");
  EXPECT_TRUE(file.problems.empty()) << file.problems.front();
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

TEST(ArgumentCheck, the_programs_own_parsers_are_asked) {
  const auto check = [](const std::string& rest) {
    const auto sweep = read(rest);
    return check_arguments(sweep, Plan(sweep), "s.yaml");
  };
  EXPECT_TRUE(check("variables: {transport: [tcp, mpi], tcp.sockets: [unset, 2]}\n"
                    "exclude: [{transport: mpi, tcp.sockets: 2}]\n")
                  .empty());
  const auto problems = check(
      "arguments: {iters: 0}\n"
      "variables:\n"
      "  algorithm:\n"
      "    - ring\n"
      "    - rnig\n"
      "  tcp.sokets: [unset, 1]\n");
  ASSERT_EQ(problems.size(), 3U);
  const auto all = problems[0] + problems[1] + problems[2];
  EXPECT_NE(all.find("s.yaml:3: --iters 0: give a number"), std::string::npos) << all;
  EXPECT_NE(all.find("s.yaml:7: --algorithm rnig: for all_reduce give auto or one of"), std::string::npos) << all;
  EXPECT_NE(all.find("s.yaml:8: --set tcp.sokets=1: there is no option"), std::string::npos) << all;
}

TEST(ArgumentCheck, ranks_need_hosts) {
  const auto sweep = read("hosts: [a, b]\nranks: 8\n");
  const auto problems = check_arguments(sweep, Plan(sweep), "s.yaml");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("s.yaml:3: hosts: 8 ranks, 1 on each node, need 8 hosts"), std::string::npos)
      << problems[0];
}

TEST(ArgumentCheck, knows_how_much_a_launch_measures) {
  const auto extent = [](const std::string& rest) {
    const auto sweep = read(rest);
    return extent_of(resolve(sweep, Plan(sweep).setting(0)));
  };
  const auto timed = extent("arguments: {sizes: [1K, 1M], op: [sum, max], max-time: 3}\n");
  EXPECT_EQ(timed.rows, 8U);  // in place and out of place
  EXPECT_EQ(timed.seconds, 24.0);
  EXPECT_EQ(timed.sizes, (std::vector<std::size_t>{1024, 1 << 20}));
  EXPECT_EQ(extent("arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\n").seconds, std::nullopt);
}

}  // namespace
}  // namespace ringmark::sweep
