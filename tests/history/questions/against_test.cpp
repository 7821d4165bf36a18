#include "history/questions/against.hpp"

#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

using std::chrono::days;

TEST(Against, compares_the_days_before_a_date_with_those_after_it) {
  std::vector<Point> points;
  for (int i = 0; i < 100; ++i) points.push_back({day(i), 1.0 + i});
  const auto after = against(points, day(50), day(50), days(3));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->baseline_us, (std::vector<double>{48, 49, 50}));
  EXPECT_EQ(after->times_us, (std::vector<double>{51, 52, 53}));
  EXPECT_EQ(against(points, day(50), day(97), days(3))->times_us, (std::vector<double>{98, 99, 100}));
}

TEST(Against, needs_launches_on_both_sides) {
  const std::vector<Point> points{{day(10), 1}, {day(14), 2}};
  EXPECT_FALSE(against({}, day(1), day(1), days(7)));
  EXPECT_FALSE(against(points, day(15), day(15), days(7)));
  EXPECT_FALSE(against(points, day(12), day(20), days(7)));
  EXPECT_TRUE(against(points, day(12), day(12), days(7)));
}

}  // namespace
}  // namespace ringmark::history
