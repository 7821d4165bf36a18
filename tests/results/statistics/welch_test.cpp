#include "results/statistics/welch.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Welch, intervals_hold_the_truth_as_often_as_they_say) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr int trials = 2000;
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> times, baseline;
    for (int k = 0; k < 5; ++k) times.push_back(90 * std::exp(0.02 * normal(random)));
    for (int k = 0; k < 8; ++k) baseline.push_back(100 * std::exp(0.05 * normal(random)));
    const auto interval = welch_ratio(times, baseline, 0.95).interval;
    ASSERT_TRUE(interval);
    held += interval->low <= 0.9 && 0.9 <= interval->high;
  }
  // 95 % of 2000, within five standard deviations of a count like that.
  EXPECT_GT(held, 1900 - 49);
  EXPECT_LT(held, 1900 + 49);
}

/// The interval and p are those of Welch's test on the logarithms, with Student's t for 4.44 degrees of freedom.
TEST(Welch, has_the_interval_and_p_of_students_distribution) {
  const auto ratio = welch_ratio({90, 92, 94}, {100, 103, 101, 105}, 0.95);
  ASSERT_TRUE(ratio.interval && ratio.p);
  EXPECT_NEAR(ratio.value, 0.899772, 1e-6);
  EXPECT_NEAR(ratio.interval->low, 0.86081, 1e-5);
  EXPECT_NEAR(ratio.interval->high, 0.94049, 1e-5);
  EXPECT_NEAR(*ratio.p, 0.00216, 1e-5);
}

TEST(Welch, of_sides_that_scatter_alike_is_students_test) {
  const auto of_few = ratio_of_alike({std::exp(1.0), std::exp(3.0)}, {std::exp(0.0), std::exp(2.0)}, 0.95);
  EXPECT_NEAR(*of_few.p, 0.5527864, 1e-6);  // t = 0.7071 with two degrees of freedom
  // A new value of 3 after 0, 1 and 2: t = 2 / (1 * sqrt(1 + 1 / 3)) with two degrees of freedom.
  const auto of_one = ratio_of_alike({std::exp(3.0)}, {1, std::exp(1.0), std::exp(2.0)}, 0.95);
  EXPECT_NEAR(*of_one.p, 0.2254033, 1e-6);
  EXPECT_FALSE(ratio_of_alike({1}, {2}, 0.95).p);
}

TEST(Welch, needs_two_values_on_each_side) {
  EXPECT_FALSE(welch_ratio({80}, {100, 101}, 0.95).p);
  EXPECT_FALSE(welch_ratio({80}, {100, 101}, 0.95).interval);
  EXPECT_NEAR(welch_ratio({80}, {100, 100}, 0.95).value, 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(*welch_ratio({80, 80}, {100, 100}, 0.95).p, 0);
  EXPECT_DOUBLE_EQ(*welch_ratio({80, 80}, {80, 80}, 0.95).p, 1);
}

}  // namespace
}  // namespace ringmark
