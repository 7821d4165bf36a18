#include "history/questions/changes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

using Kind = Change::Kind;

TEST(Changes, have_the_place_and_size_of_a_step) {
  const auto changes = changes_in(daily(160, 1, 1, step_at(100, 5)), {});
  ASSERT_EQ(changes.size(), 1u);
  const auto& change = changes.front();
  EXPECT_EQ(change.kind, Kind::step);
  EXPECT_NEAR(static_cast<double>(change.first), 100, 1);
  EXPECT_EQ(change.last, change.first);
  EXPECT_NEAR(change.ratio, 1.05, 0.006);
  EXPECT_LT(change.interval.low, change.ratio);
  EXPECT_GT(change.interval.high, change.ratio);
  EXPECT_LT(change.interval.high / change.interval.low, 1.012);
  EXPECT_LT(change.p, 1e-6);
}

TEST(Changes, are_one_for_one_step) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto changes = changes_in(daily(120, 1, seed, step_at(60, 5)), {.series = 30});
    ASSERT_EQ(changes.size(), 1u) << seed;
    EXPECT_EQ(changes.front().kind, Kind::step) << seed;
    EXPECT_NEAR(static_cast<double>(changes.front().first), 60, 2) << seed;
  }
}

TEST(Changes, are_a_drift_where_the_level_moves_slowly) {
  const auto changes =
      changes_in(daily(180, 0.5, 2, [](int i) { return 0.08 * std::clamp((i - 60) / 60.0, 0.0, 1.0); }), {});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes.front().kind, Kind::drift);
  EXPECT_NEAR(static_cast<double>(changes.front().first), 61, 8);
  EXPECT_NEAR(static_cast<double>(changes.front().last), 120, 8);
  EXPECT_NEAR(changes.front().ratio, std::exp(0.08), 0.01);
}

TEST(Changes, may_follow_each_other_in_both_directions) {
  const auto changes =
      changes_in(daily(200, 1, 3, [](int i) { return i >= 60 && i < 130 ? std::log(1.06) : 0.0; }), {});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_NEAR(changes[0].ratio, 1.06, 0.01);
  EXPECT_NEAR(changes[1].ratio, 1 / 1.06, 0.01);
  EXPECT_NEAR(static_cast<double>(changes[1].first), 130, 1);
}

/// A check each day raises the alarms that one check at the end finds, and no others.
TEST(Changes, of_a_shorter_series_are_those_known_by_then) {
  const auto points = daily(160, 1, 4, [](int i) { return i >= 60 && i < 110 ? std::log(1.06) : 0.0; });
  std::vector<std::size_t> counts;
  for (std::size_t days = 1; days <= points.size(); ++days) {
    counts.push_back(changes_in(std::span(points).first(days), {}).size());
  }
  EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
  EXPECT_EQ(counts[59], 0u);
  EXPECT_EQ(counts[66], 1u);
  EXPECT_EQ(counts[109], 1u);
  EXPECT_EQ(counts.back(), 2u);
}

TEST(Changes, need_ten_nights) {
  EXPECT_TRUE(changes_in({}, {}).empty());
  EXPECT_TRUE(changes_in(daily(1, 1, 1), {}).empty());
  EXPECT_TRUE(changes_in(daily(9, 0.1, 1, step_at(5, 50)), {}).empty());
  EXPECT_EQ(changes_in(daily(14, 0.5, 1, step_at(7, 50)), {}).size(), 1u);
}

TEST(Changes, survive_noise_that_differs_before_and_after) {
  auto points = daily(100, 0.5, 5);
  const auto wide = daily(200, 4, 6);
  for (std::size_t i = 100; i < 200; ++i) points.push_back(wide[i]);
  EXPECT_TRUE(changes_in(points, {.series = 10}).empty());
}

/// Launches of a night that share its noise, with weeks without any.
TEST(Changes, count_a_night_once_and_cross_gaps) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto series = [&](double percent) {
    std::vector<Point> points;
    for (int i = 0; i < 120; ++i) {
      if (i > 40 && i < 60) continue;
      const double night = 0.02 * normal(random) + (i >= 80 ? std::log1p(percent / 100) : 0);
      for (int k = 0; k < 1 + i % 4; ++k) {
        points.push_back({day(i) + std::chrono::minutes(20 * k), std::exp(night + 0.002 * normal(random))});
      }
    }
    return points;
  };
  EXPECT_TRUE(changes_in(series(0), {}).empty());
  const auto changed = series(8);
  const auto changes = changes_in(changed, {});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_GE(changed[changes.front().first].time, day(79));
  EXPECT_LE(changed[changes.front().first].time, day(81));
  EXPECT_EQ(changes.front().first == 0 || changed[changes.front().first - 1].time < changed[changes.front().first].time,
            true);
}

TEST(Changes, below_the_least_are_not_reported) {
  const auto points = daily(200, 0.2, 8, step_at(100, 2));
  EXPECT_EQ(changes_in(points, {}).size(), 1u);
  EXPECT_TRUE(changes_in(points, {.least_percent = 3}).empty());
}

TEST(Changes, do_not_depend_on_the_unit) {
  auto points = daily(160, 1, 9, step_at(100, 5));
  const auto changes = changes_in(points, {});
  for (auto& point : points) point.value *= 1024;
  const auto scaled = changes_in(points, {});
  ASSERT_EQ(scaled.size(), changes.size());
  EXPECT_EQ(scaled.front().first, changes.front().first);
  EXPECT_NEAR(scaled.front().ratio, changes.front().ratio, 1e-9);
}

}  // namespace
}  // namespace ringmark::history
