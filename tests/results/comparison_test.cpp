#include "results/comparison.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(Comparison, intervals_hold_the_truth_as_often_as_they_say) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr int trials = 2000;
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> times, baseline;
    for (int k = 0; k < 5; ++k) times.push_back(90 * std::exp(0.02 * normal(random)));
    for (int k = 0; k < 8; ++k) baseline.push_back(100 * std::exp(0.05 * normal(random)));
    const auto interval = ratio_of(times, baseline, 0.95).interval;
    ASSERT_TRUE(interval);
    held += interval->low <= 0.9 && 0.9 <= interval->high;
  }
  // 95 % of 2000, within five standard deviations of a count like that.
  EXPECT_GT(held, 1900 - 49);
  EXPECT_LT(held, 1900 + 49);
}

TEST(Comparison, says_what_is_shown_and_what_is_not) {
  const auto words = [](const std::vector<double>& a, const std::vector<double>& b) {
    return in_words(ratio_of(a, b, 0.95));
  };
  EXPECT_EQ(words({80}, {100}), "20.0 % faster (too few launches for an interval)");
  EXPECT_EQ(words({80, 80}, {100, 100}), "20.0 % faster (20.0 to 20.0)");
  EXPECT_EQ(words({110, 110}, {100, 100}), "10.0 % slower (10.0 to 10.0)");
  EXPECT_EQ(words({100, 101, 99}, {100, 99, 101}).substr(0, 19), "no difference shown");
  EXPECT_EQ(words({100, 300}, {100, 90}), "no difference shown (too few launches to tell)");
  EXPECT_EQ(words({20, 20}, {100, 100}), "5.0 times faster (5.0 to 5.0)");
  EXPECT_EQ(words({100, 100}, {20, 20}), "5.0 times slower (5.0 to 5.0)");
}

}  // namespace
}  // namespace ringmark
