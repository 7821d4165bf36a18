#include "history/questions/nights.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

using std::chrono::hours;

TEST(Nights, count_launches_close_together_once) {
  const std::vector<Point> points{
      {day(0), 100}, {day(0) + hours(1), 400}, {day(0) + hours(6), 110}, {day(0) + hours(7), 90}, {day(1), 120}};
  const auto nights = nights_of(points, hours(6));
  ASSERT_EQ(nights.size(), 3u);
  EXPECT_DOUBLE_EQ(nights[0].level, std::log(110));
  EXPECT_EQ(nights[0].time, day(0));
  EXPECT_EQ(nights[1].first, 3u);
  EXPECT_DOUBLE_EQ(nights[1].level, std::log(90));
  EXPECT_EQ(nights[2].first, 4u);
}

TEST(Nights, are_single_launches_without_a_length) {
  EXPECT_EQ(nights_of(daily(4, 1, 1), hours(0)).size(), 4u);
  EXPECT_TRUE(nights_of({}, hours(6)).empty());
}

TEST(Nights, refuse_what_is_no_time_or_out_of_order) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -1.0, infinite, std::nan("")}) {
    EXPECT_THROW(nights_of(std::vector<Point>{{day(0), value}}, hours(6)), BadUsage);
  }
  EXPECT_THROW(nights_of(std::vector<Point>{{day(1), 1}, {day(0), 1}}, hours(6)), BadUsage);
}

}  // namespace
}  // namespace ringmark::history
