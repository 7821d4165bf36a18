#include "history/questions/robust_fit.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ringmark::history {
namespace {

std::vector<double> step_shape(std::size_t count, std::size_t first) {
  std::vector<double> shape(count);
  for (std::size_t i = first; i < count; ++i) shape[i] = 1;
  return shape;
}

TEST(RobustFit, is_least_squares_without_outliers) {
  // Means 1.5 and 4; residuals of a half and 1 count quadratically.
  const auto fit = fit_shape(std::vector<double>{1, 2, 3, 5}, step_shape(4, 2), 1);
  EXPECT_NEAR(fit.base, 1.5, 1e-9);
  EXPECT_NEAR(fit.change, 2.5, 1e-9);
  EXPECT_NEAR(fit.cost, 0.25 + 0.25 + 1 + 1, 1e-9);
}

TEST(RobustFit, counts_outliers_linearly) {
  const auto near = fit_shape(std::vector<double>{0, 0, 0, 0, 0, 10}, std::vector<double>(6), 1);
  const auto far = fit_shape(std::vector<double>{0, 0, 0, 0, 0, 1000}, std::vector<double>(6), 1);
  EXPECT_LT(near.base, 0.5);
  EXPECT_NEAR(far.base, near.base, 0.05);
  // 1.5 sits on each side of the level: five pull by it, and one by 1.5.
  EXPECT_NEAR(near.base, 0.3, 0.01);
  EXPECT_NEAR(cost_of_level(std::vector<double>{0, 0, 0, 0, 0, 10}, 1), near.cost, 1e-12);
}

TEST(BestPlace, is_where_a_step_costs_least) {
  const std::vector<double> levels{0, 0.1, 0, -0.1, 0, 3, 1, 0.9, 1, 1.1, 1};
  EXPECT_EQ(best_place(levels, 4, 2, 0.1), 5u);
  EXPECT_EQ(best_place(levels, 8, 2, 0.1), 5u);
  EXPECT_EQ(best_place(levels, 8, 5, 0.1), 5u);
  EXPECT_EQ(best_place(std::vector<double>{0, 1, 1, 1, 1, 1}, 3, 2, 0.1), 2u);
}

TEST(RobustFit, intervals_hold_the_truth_as_often_as_they_say) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const double phi : {0.0, 0.3}) {
    int held = 0;
    constexpr int trials = 1000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> levels;
      double state = normal(random);
      for (int i = 0; i < 100; ++i) {
        state = phi * state + std::sqrt(1 - phi * phi) * normal(random);
        levels.push_back(0.01 * state + (i >= 50 ? 0.05 : 0));
      }
      const auto fit = fit_shape(levels, step_shape(100, 50), 0.01);
      held += std::abs(fit.change - 0.05) <= 1.96 * fit.error;
    }
    EXPECT_GT(held, 920) << phi;
    EXPECT_LT(held, 985) << phi;
  }
}

}  // namespace
}  // namespace ringmark::history
