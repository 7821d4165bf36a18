#include "results/statistics/statistics.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

Sorted one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1);
  return Sorted(values);
}

TEST(Statistics, median_of_even_and_odd_numbers) {
  EXPECT_EQ(one_to(5).median(), 3);
  EXPECT_EQ(one_to(6).median(), 3.5);
}

TEST(Statistics, tails_need_enough_samples) {
  EXPECT_EQ(one_to(19).tail(0.95), std::nullopt);
  EXPECT_EQ(one_to(20).tail(0.95), 19);
  EXPECT_EQ(one_to(99).tail(0.99), std::nullopt);
  EXPECT_EQ(one_to(100).tail(0.99), 99);
}

// Le Boudec, "Performance evaluation", table A.1: the order statistics of the 95 % interval of a median.
TEST(Statistics, median_interval_is_that_of_the_tables) {
  EXPECT_FALSE(one_to(5).median_interval());
  const struct {
    int n, low, high;
  } table[] = {{6, 1, 6},   {7, 1, 7},    {8, 1, 8},    {9, 2, 8},   {10, 2, 9},
               {20, 6, 15}, {30, 10, 21}, {50, 18, 33}, {70, 27, 44}};
  for (const auto& row : table) {
    const auto interval = one_to(row.n).median_interval();
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, row.low) << row.n;
    EXPECT_EQ(interval->high, row.high) << row.n;
  }
}

TEST(Statistics, interval_narrows_steadily_where_the_formula_changes) {
  const auto width = [](int n) {
    const auto interval = *one_to(n).median_interval();
    return (interval.high - interval.low) / n;
  };
  EXPECT_NEAR(width(500), width(501), 0.005);
}

TEST(Statistics, precision_is_half_the_width_over_the_median) {
  EXPECT_FALSE(median_precision_percent(one_to(3)));
  EXPECT_NEAR(*median_precision_percent(one_to(10)), 50 * (9 - 2) / 5.5, 1e-9);
}

TEST(Statistics, medians_and_geometric_means) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(geometric_mean({1, 4}), 2);
  EXPECT_EQ(geometric_mean({0.1}), 0.1);
}

}  // namespace
}  // namespace ringmark
