#include "results/statistics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::HasSubstr;

Difference one(const std::vector<double>& times, const std::vector<double>& baseline) {
  return compare_launches({{times, baseline}}).at(0);
}

TEST(Comparison, decides_by_ranks_where_launches_are_enough) {
  const auto faster = one({50, 51, 52, 53, 54}, {100, 101, 102, 103, 104});
  EXPECT_EQ(faster.verdict, Verdict::faster);
  EXPECT_TRUE(faster.by_ranks);
  EXPECT_DOUBLE_EQ(faster.ratio, 52.0 / 102);
  EXPECT_NEAR(faster.p, 2.0 / 252, 1e-12);
  EXPECT_DOUBLE_EQ(faster.delta, 1);
  ASSERT_TRUE(faster.interval);
  EXPECT_LT(faster.interval->low, faster.ratio);
  EXPECT_GT(faster.interval->high, faster.ratio);
  EXPECT_EQ(one({100, 101, 102, 103, 104}, {50, 51, 52, 53, 54}).verdict, Verdict::slower);
}

TEST(Comparison, decides_by_welch_where_launches_are_few) {
  const auto faster = one({50, 51, 50.5}, {100, 101, 100.5});
  EXPECT_EQ(faster.verdict, Verdict::faster);
  EXPECT_FALSE(faster.by_ranks);
  EXPECT_EQ(one({100, 300}, {100, 90}).verdict, Verdict::too_few);
  EXPECT_EQ(one({100, 101, 99}, {100, 99.5, 101}).verdict, Verdict::no_difference);
}

TEST(Comparison, one_launch_shows_nothing) {
  const auto single = one({50}, {100});
  EXPECT_EQ(single.verdict, Verdict::too_few);
  EXPECT_FALSE(single.interval);
  EXPECT_DOUBLE_EQ(single.ratio, 0.5);
  EXPECT_THAT(in_words(single), HasSubstr("1 against 1"));
}

TEST(Comparison, one_launch_is_enough_against_earlier_ones_of_its_setting) {
  std::vector<LaunchTimes> pairs;
  for (const double time : {100.0, 102.0, 106.0, 200.0}) {
    auto& pair = pairs.emplace_back(LaunchTimes{{time}, {}});
    for (int i = 0; i < 60; ++i) pair.baseline_us.push_back(100 + 0.1 * (i % 20 - 9.5));
    pair.is_baseline_alike = true;
  }
  const auto differences = compare_launches(pairs);
  EXPECT_EQ(differences[0].verdict, Verdict::no_difference);
  EXPECT_EQ(differences[2].verdict, Verdict::slower);
  EXPECT_EQ(differences[3].verdict, Verdict::slower);
  EXPECT_FALSE(differences[3].by_ranks) << "ranks cannot reach the level of four comparisons";
  for (auto& pair : pairs) pair.is_baseline_alike = false;
  for (const auto& each : compare_launches(pairs)) EXPECT_EQ(each.verdict, Verdict::too_few);
}

TEST(Comparison, ties_show_nothing) {
  const std::vector<double> same(6, 100.0);
  EXPECT_EQ(one(same, same).verdict, Verdict::no_difference);
  EXPECT_DOUBLE_EQ(one(same, same).p, 1);
}

/// Launches that fall into two heaps: by ranks most are slower, by medians the setting is faster.
TEST(Comparison, medians_and_ranks_that_disagree_show_nothing) {
  std::vector<double> times, baseline;
  for (int i = 0; i < 40; ++i) times.push_back(i < 21 ? 99.0 : 200.0);
  for (int i = 0; i < 40; ++i) baseline.push_back(i < 19 ? 1.0 : 100.0);
  const auto difference = one(times, baseline);
  ASSERT_LT(difference.ratio, 1);
  ASSERT_LT(difference.delta, 0);
  ASSERT_LT(difference.p, 0.05);
  EXPECT_EQ(difference.verdict, Verdict::no_difference);
}

TEST(Comparison, corrects_for_all_comparisons_of_a_call) {
  const LaunchTimes pair{{90, 91, 92, 93, 99.5}, {99, 100, 101, 102, 103}};
  const auto alone = one(pair.times_us, pair.baseline_us);
  EXPECT_EQ(alone.verdict, Verdict::faster);
  const std::vector<LaunchTimes> four(4, pair);
  for (const auto& each : compare_launches(four)) {
    EXPECT_DOUBLE_EQ(each.p, 4 * alone.p);
    EXPECT_EQ(each.verdict, Verdict::no_difference);
    EXPECT_EQ(each.interval, alone.interval);
  }
}

TEST(Comparison, no_order_changes_anything) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(90, 110);
  std::vector<LaunchTimes> pairs(5);
  for (auto& pair : pairs) {
    for (std::size_t i = 0; i < 3 + 2 * static_cast<std::size_t>(&pair - pairs.data()); ++i)
      pair.times_us.push_back(any(random)), pair.baseline_us.push_back(any(random));
  }
  const auto before = compare_launches(pairs);
  std::reverse(pairs.begin(), pairs.end());
  for (auto& pair : pairs) {
    std::shuffle(pair.times_us.begin(), pair.times_us.end(), random);
    std::reverse(pair.baseline_us.begin(), pair.baseline_us.end());
  }
  auto after = compare_launches(pairs);
  std::reverse(after.begin(), after.end());
  EXPECT_EQ(before, after);
}

TEST(Comparison, the_best_is_shown_faster_and_by_the_most) {
  const Difference faster{.ratio = 0.9, .interval = {}, .verdict = Verdict::faster};
  const Difference fastest{.ratio = 0.8, .interval = {}, .verdict = Verdict::faster};
  const Difference unproven{.ratio = 0.1, .interval = {}, .verdict = Verdict::too_few};
  EXPECT_TRUE(beats(faster, nullptr));
  EXPECT_TRUE(beats(fastest, &faster));
  EXPECT_FALSE(beats(faster, &fastest));
  EXPECT_FALSE(beats(unproven, nullptr));
}

TEST(Comparison, says_percents_and_times) {
  const auto words = [](double ratio, Interval interval) {
    return in_words({.ratio = ratio, .interval = interval, .verdict = ratio < 1 ? Verdict::faster : Verdict::slower});
  };
  EXPECT_EQ(words(0.8, {0.8, 0.8}), "20.0 % faster (20.0 to 20.0)");
  EXPECT_EQ(words(1.1, {1.05, 1.2}), "10.0 % slower (5.0 to 20.0)");
  EXPECT_EQ(words(0.2, {0.1, 0.25}), "5.0 times faster (4.0 to 10.0)");
  EXPECT_EQ(words(5, {4, 10}), "5.0 times slower (4.0 to 10.0)");
  EXPECT_EQ(words(0.97, {0.92, 1.012}), "3.0 % faster (8.0 % faster to 1.2 % slower)");
}

TEST(Comparison, refuses_paths_that_differ_unless_they_are_asked_about) {
  EXPECT_THAT(path_mismatch({"tcp"}, {"ib"}, false), HasSubstr("one used tcp, the other ib"));
  EXPECT_EQ(path_mismatch({"tcp"}, {"ib"}, true), "");
  EXPECT_EQ(path_mismatch({}, {"ib"}, false), "");
  EXPECT_EQ(path_mismatch({"ib"}, {"ib"}, false), "");
  EXPECT_THAT(path_mismatch({"ib", "tcp"}, {"ib"}, true), HasSubstr("ib and tcp"));
}

TEST(Comparison, in_doubt_is_undecided_and_says_what_was_measured) {
  const auto faster = compare_launches({{{10, 11, 12, 13, 14, 15}, {40, 41, 42, 43, 44, 45}}}).front();
  ASSERT_EQ(faster.verdict, Verdict::faster);
  EXPECT_EQ(judged_in_words(faster, false), in_words(faster));
  EXPECT_THAT(judged_in_words(faster, true), HasSubstr("undecided"));
  EXPECT_THAT(judged_in_words(faster, true), HasSubstr(difference_words(faster.ratio)));
  EXPECT_EQ(judged_name(Verdict::faster, true), "undecided");
  EXPECT_EQ(judged_name(Verdict::slower, false), name(Verdict::slower));
  EXPECT_EQ(judged_name(Verdict::no_difference, true), name(Verdict::no_difference));
}

TEST(Comparison, with_enough_launches_nothing_is_undecided) {
  for (const std::size_t comparisons : {1U, 6U, 300U}) {
    const auto launches = enough_launches(comparisons);
    std::vector<double> times(launches), baseline(launches);
    for (std::size_t i = 0; i < launches; ++i) {
      times[i] = std::pow(10.0, static_cast<double>(i));
      baseline[i] = 3 * times[i];
    }
    for (const auto& each : compare_launches(std::vector(comparisons, LaunchTimes{times, baseline})))
      EXPECT_NE(each.verdict, Verdict::too_few);
  }
  EXPECT_LT(enough_launches(1), enough_launches(300));
}

TEST(Comparison, undecided_comparisons_are_counted_with_what_decides_them) {
  EXPECT_EQ(undecided_in_words(0, 9), "");
  const auto words = undecided_in_words(7, 9);
  for (const auto count : {std::size_t{7}, std::size_t{9}, enough_launches(9)})
    EXPECT_NE(words.find(std::to_string(count)), std::string::npos) << words;
}

}  // namespace
}  // namespace ringmark
