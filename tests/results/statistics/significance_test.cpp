#include "results/statistics/significance.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "results/statistics/statistics.hpp"

namespace ringmark {
namespace {

TEST(Significance, agrees_with_tables_of_the_exact_distribution) {
  EXPECT_DOUBLE_EQ(mann_whitney_p({1, 2, 3}, {4, 5, 6}), 0.1);
  EXPECT_DOUBLE_EQ(mann_whitney_p({4, 5, 6}, {1, 2, 3}), 0.1);
  EXPECT_NEAR(mann_whitney_p({1, 2, 3, 4}, {5, 6, 7, 8}), 2.0 / 70, 1e-12);
  // U = 2 of 25 for n = m = 5: 4 of 252 orders on each side are at least as extreme.
  EXPECT_NEAR(mann_whitney_p({1, 2, 3, 4, 7}, {5, 6, 8, 9, 10}), 8.0 / 252, 1e-12);
  EXPECT_DOUBLE_EQ(mann_whitney_p({1, 1, 1}, {1, 1}), 1);
  EXPECT_DOUBLE_EQ(least_mann_whitney_p(3, 3), 0.1);
  EXPECT_NEAR(least_mann_whitney_p(4, 4), 2.0 / 70, 1e-12);
}

TEST(Significance, the_approximation_for_many_continues_the_exact_test) {
  std::vector<double> a, b;
  for (int i = 0; i < 33; ++i) a.push_back(i), b.push_back(i + 6.5);
  const double exact = mann_whitney_p(a, b);
  a.push_back(16.1), b.push_back(22.6);
  EXPECT_NEAR(mann_whitney_p(a, b), exact, 0.01);
}

TEST(Significance, one_value_against_many_has_the_exact_p) {
  for (const std::size_t many : {40U, 59U, 60U, 100U, 200U}) {
    std::vector<double> others(many);
    std::iota(others.begin(), others.end(), 0.0);
    EXPECT_NEAR(mann_whitney_p({1e3}, others), 2.0 / static_cast<double>(many + 1), 1e-12);
    EXPECT_NEAR(mann_whitney_p(others, {1e3}), 2.0 / static_cast<double>(many + 1), 1e-12);
  }
  std::vector<double> others(1000);
  std::iota(others.begin(), others.end(), 0.0);
  EXPECT_NEAR(mann_whitney_p({1e4}, others), least_mann_whitney_p(1, 1000), 1e-9);
  EXPECT_GT(least_mann_whitney_p(1, 1000), 0.05) << "the approximation cannot tell";
}

TEST(Significance, holm_corrects_step_by_step) {
  const auto corrected = holm({0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(corrected[3], 0.02);
  EXPECT_DOUBLE_EQ(corrected[0], 0.03);
  EXPECT_DOUBLE_EQ(corrected[2], 0.06);
  EXPECT_DOUBLE_EQ(corrected[1], 0.06);
}

TEST(Significance, effects_and_ratios) {
  EXPECT_DOUBLE_EQ(cliffs_delta({1, 2}, {3, 4}), 1);
  EXPECT_DOUBLE_EQ(cliffs_delta({3, 4}, {1, 2}), -1);
  EXPECT_DOUBLE_EQ(cliffs_delta({1, 4}, {2, 3}), 0);
  const auto ratio = ratio_of_medians({9, 10, 11, 10}, {20, 21, 19, 20}, 0.95, 1);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_LT(ratio.interval.low, 0.5);
  EXPECT_GT(ratio.interval.high, 0.5);
}

TEST(Significance, the_bootstrap_draws_medians_as_resampling_does) {
  const std::vector<double> odd{1, 2, 3, 5, 8, 13, 21}, even{1, 2, 3, 5, 8, 13, 21, 34};
  std::mt19937_64 random(1);
  for (const auto& values : {odd, even}) {
    std::vector<double> medians, sample(values.size());
    std::uniform_int_distribution<std::size_t> any(0, values.size() - 1);
    for (int i = 0; i < 20000; ++i) {
      for (double& each : sample) each = values[any(random)];
      medians.push_back(Sorted(sample).median());
    }
    std::sort(medians.begin(), medians.end());
    const auto interval = ratio_of_medians(values, {1}, 0.8, 3).interval;
    EXPECT_NEAR(interval.low, medians[2000], 1);
    EXPECT_NEAR(interval.high, medians[17999], 3);
  }
}

}  // namespace
}  // namespace ringmark
