#include "history/questions/change_watch.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

/// Number of alarms, and the day of the first one.
std::pair<int, int> watch_days(const std::vector<Point>& points, const ChangeOptions& options) {
  ChangeWatch watch(options);
  int alarms = 0, first = -1, number = 0;
  for (const auto& night : nights_of(points, options.same_night)) {
    if (watch.add(night) && ++alarms == 1) first = number;
    ++number;
  }
  return {alarms, first};
}

TEST(ChangeWatch, raises_an_alarm_soon_after_a_step) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto first = watch_days(daily(120, 1, seed, step_at(60, 5)), {.series = 30}).second;
    EXPECT_GT(first, 60);
    EXPECT_LT(first, 67);
  }
}

/// The evidence has the rates of more kinds of noise; this has 200 years of a series at one false alarm a year.
TEST(ChangeWatch, has_no_more_false_alarms_than_it_may) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) alarms += watch_days(daily(365, 2, seed), {}).first;
  EXPECT_LT(alarms, 200);
  EXPECT_GT(alarms, 0);
}

TEST(ChangeWatch, shares_the_false_alarms_among_series) {
  int alone = 0, shared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto points = daily(67, 3, seed, step_at(60, 5));
    alone += watch_days(points, {}).first;
    shared += watch_days(points, {.series = 30}).first;
  }
  EXPECT_GT(alone, shared);
}

TEST(ChangeWatch, takes_two_slow_nights_for_outliers) {
  auto points = daily(100, 1, 3);
  for (const std::size_t i : {60u, 61u}) points[i].value *= 1.3;
  EXPECT_EQ(watch_days(points, {}).first, 0);
  for (const std::size_t i : {62u, 63u, 64u, 65u}) points[i].value *= 1.3;
  EXPECT_GT(watch_days(points, {}).first, 0);
}

TEST(ChangeWatch, withdraws_what_turns_out_to_be_noise) {
  ChangeWatch watch({.false_alarms_per_year = 20});
  for (const auto& night : nights_of(daily(60, 1, 5, [](int i) { return i >= 54 ? 0.013 : 0.0; }), {}))
    watch.add(night);
  ASSERT_EQ(watch.starts().size(), 2u);
  auto later = nights_of(daily(120, 1, 6), {});
  bool is_alarmed = false;
  for (std::size_t i = 60; i < later.size(); ++i) is_alarmed = watch.add(later[i]) || is_alarmed;
  EXPECT_FALSE(is_alarmed);
  EXPECT_EQ(watch.starts().size(), 1u);
}

TEST(FalseAlarmsPerYear, grow_with_series_and_looks) {
  const auto daily_nights = nights_of(daily(30, 1, 1), {});
  std::vector<Point> twice;
  for (int i = 0; i < 60; ++i) twice.push_back({day(0) + i * std::chrono::hours(12), 1});
  const double each = false_alarms_at(1e-6);
  EXPECT_DOUBLE_EQ(false_alarms_per_year(1e-6, daily_nights, {}), 365.25 * each);
  EXPECT_DOUBLE_EQ(false_alarms_per_year(1e-6, daily_nights, {.series = 10}), 3652.5 * each);
  EXPECT_DOUBLE_EQ(false_alarms_per_year(1e-6, nights_of(twice, {}), {}), 730.5 * each);
  EXPECT_GT(false_alarms_at(1e-4), false_alarms_at(1e-5));
}

}  // namespace
}  // namespace ringmark::history
