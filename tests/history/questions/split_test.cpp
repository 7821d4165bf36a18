#include "history/questions/split.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ringmark::history {
namespace {

std::vector<double> normal_levels(std::size_t count, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> levels(count);
  for (auto& level : levels) level = noise * normal(random);
  return levels;
}

TEST(Noise, is_that_of_successive_differences) {
  auto levels = normal_levels(20001, 0.02, 1);
  EXPECT_NEAR(noise_of(levels), 0.02, 0.0005);
  for (std::size_t i = 10000; i < levels.size(); ++i) levels[i] += 1;
  EXPECT_NEAR(noise_of(levels), 0.02, 0.0005);
  EXPECT_DOUBLE_EQ(noise_of(std::vector<double>{1, 2, 4, 3}), 1 / 0.953873);
}

/// The variance of a sum is what the correlations of all pairs make it.
TEST(Inflation, is_the_sum_over_all_pairs) {
  for (const double phi : {0.0, 0.3, 0.6}) {
    for (const std::size_t count : {1u, 2u, 7u}) {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < count; ++k) {
          sum += std::pow(phi, std::abs(static_cast<double>(i) - static_cast<double>(k)));
        }
      }
      EXPECT_NEAR(inflation(phi, count), sum / static_cast<double>(count), 1e-12) << phi << " " << count;
    }
  }
}

TEST(Split, is_where_the_level_changes) {
  auto levels = normal_levels(60, 0.01, 2);
  for (std::size_t i = 40; i < levels.size(); ++i) levels[i] -= 0.05;
  const auto split = best_split(levels, 0.001);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->first, 40u);
  EXPECT_LT(split->t, -5);
  EXPECT_LT(split->p, 1e-6);
  const auto same = split_at(levels, 40, 0.001);
  EXPECT_NEAR(same.t, split->t, 1e-12 + std::abs(split->t) * 0.2);
  EXPECT_LT(std::abs(split_at(levels, 20, 0.001).t), std::abs(split->t));
}

TEST(Split, needs_ten_levels) {
  EXPECT_FALSE(best_split(normal_levels(9, 0.01, 3), 0.001));
  EXPECT_TRUE(best_split(normal_levels(10, 0.01, 3), 0.001));
}

TEST(Split, counts_an_outlier_no_more_than_the_edge_of_the_noise) {
  auto levels = normal_levels(60, 0.01, 4);
  levels[57] = 0.2;
  const double t = split_at(levels, 55, 0.001).t;
  levels[57] = 5;
  EXPECT_DOUBLE_EQ(split_at(levels, 55, 0.001).t, t);
}

/// With this many levels the autocorrelation is estimated well, and t is Student's.
TEST(Split, has_the_p_that_it_says) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const double phi : {0.0, 0.3}) {
    int below = 0;
    constexpr int trials = 2000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> levels(400);
      double state = normal(random);
      for (auto& level : levels) {
        state = phi * state + std::sqrt(1 - phi * phi) * normal(random);
        level = 0.01 * state;
      }
      below += split_at(levels, 200, 0.0001).p < 0.05;
    }
    // At most 5 % of 2000 within four standard deviations, and not far fewer.
    EXPECT_LT(below, 100 + 40) << phi;
    EXPECT_GT(below, 40) << phi;
  }
}

TEST(Split, does_not_take_wider_noise_for_a_level) {
  auto levels = normal_levels(100, 0.005, 6);
  const auto wider = normal_levels(20, 0.04, 7);
  levels.insert(levels.end(), wider.begin(), wider.end());
  EXPECT_GT(best_split(levels, 0.001)->p, 1e-4);
}

TEST(Split, finds_a_step_without_noise) {
  std::vector<double> levels(40, 1);
  for (std::size_t i = 20; i < 40; ++i) levels[i] = 1.05;
  EXPECT_EQ(best_split(levels, 0.001)->first, 20u);
  EXPECT_DOUBLE_EQ(best_split(std::vector<double>(40, 1), 0.001)->t, 0);
}

/// A watch looks no closer where may_split() is false.
TEST(MaySplit, is_true_of_all_splits_as_strong_as_asked) {
  int refused = 0, strong = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    auto levels = normal_levels(10 + seed % 391, 0.01, seed);
    for (std::size_t i = 1; i < levels.size(); ++i) levels[i] += 0.3 * levels[i - 1];
    if (seed % 3 == 0) {
      for (std::size_t i = levels.size() / 2; i < levels.size(); ++i) levels[i] += 0.004;
    }
    if (seed % 7 == 0) levels.back() = 0.5;
    auto sorted = levels;
    std::sort(sorted.begin(), sorted.end());
    const auto middle = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    const auto p = best_split(levels, 0.001)->p;
    for (const double asked : {1e-2, 1e-4, 1e-6}) {
      const bool may = may_split(levels, middle, std::max(0.001, noise_of(levels)), asked);
      EXPECT_TRUE(may || p > asked) << seed;
      refused += !may;
      strong += p <= asked;
    }
  }
  EXPECT_GT(refused, 3000);
  EXPECT_GT(strong, 100);
}

TEST(RankP, is_exact_for_the_levels_next_to_the_split) {
  std::vector<double> levels;
  for (int i = 0; i < 500; ++i) levels.push_back(i);
  // Five above 55: one choice of 60 over 5 on either side.
  EXPECT_NEAR(rank_p(levels, 495), 2 / 5461512.0, 1e-12);
  EXPECT_NEAR(rank_p(std::span(levels).first(10), 5), 2 / 252.0, 1e-12);
  EXPECT_LT(rank_p(levels, 250), 1e-20);
}

}  // namespace
}  // namespace ringmark::history
