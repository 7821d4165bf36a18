#include "history/questions/against.hpp"

#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

using std::chrono::days;

TEST(Against, compares_the_days_before_a_date_with_the_latest_ones) {
  std::vector<Point> points;
  for (int i = 0; i < 100; ++i) points.push_back({day(i), 1.0 + i});
  const auto sides = against(points, day(50), days(3));
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->baseline_us, (std::vector<double>{48, 49, 50}));
  EXPECT_EQ(sides->times_us, (std::vector<double>{98, 99, 100}));
  // The recent days end at the date.
  EXPECT_EQ(against(points, day(99), days(3))->times_us, (std::vector<double>{100}));
}

TEST(Against, needs_launches_on_both_sides) {
  const std::vector<Point> points{{day(10), 1}, {day(40), 2}};
  EXPECT_FALSE(against({}, day(1), days(7)));
  EXPECT_FALSE(against(points, day(41), days(7)));
  EXPECT_FALSE(against(points, day(30), days(7)));
  EXPECT_TRUE(against(points, day(12), days(7)));
}

}  // namespace
}  // namespace ringmark::history
