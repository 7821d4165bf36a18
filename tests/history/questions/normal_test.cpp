#include "history/questions/normal.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

std::vector<Point> counting(int count) {
  std::vector<Point> points;
  for (int i = 1; i <= count; ++i) points.push_back({day(i), static_cast<double>(i)});
  return points;
}

TEST(Envelope, is_of_order_statistics_where_enough_launches_exist) {
  // 1 - 2k / (n + 1): the second of 79 is for 95 %, as is the first of 39.
  const auto of_79 = envelope_of(counting(79), 0.95), of_39 = envelope_of(counting(39), 0.95);
  ASSERT_TRUE(of_79 && of_39);
  EXPECT_TRUE(of_79->by_ranks && of_39->by_ranks);
  EXPECT_EQ(of_79->range_us, (Interval{2, 78}));
  EXPECT_EQ(of_39->range_us, (Interval{1, 39}));
  EXPECT_DOUBLE_EQ(of_39->median_us, 20);
  EXPECT_EQ(of_39->launches, 39u);
  EXPECT_EQ(of_39->median_interval_us, (Interval{13, 27}));
  EXPECT_FALSE(envelope_of(counting(38), 0.95)->by_ranks);
}

TEST(Envelope, scatters_normally_with_few_launches) {
  std::vector<Point> points;
  for (const double log : {-0.02, -0.01, 0.0, 0.01, 0.02}) points.push_back({day(0), 100 * std::exp(log)});
  const auto envelope = envelope_of(points, 0.95);
  ASSERT_TRUE(envelope);
  EXPECT_FALSE(envelope->by_ranks);
  EXPECT_FALSE(envelope->median_interval_us);
  // Student's 97.5 % with 0.8 * 4 degrees of freedom; Qn is 2.2219 * 0.844 times the third smallest difference, 0.01.
  const double off = 3.072829 * 2.2219 * 0.844 * 0.01 * std::sqrt(1 + 1.5708 / 5);
  EXPECT_NEAR(envelope->range_us.low, 100 * std::exp(-off), 1e-4);
  EXPECT_NEAR(envelope->range_us.high, 100 * std::exp(off), 1e-4);
  points.pop_back();
  EXPECT_FALSE(envelope_of(points, 0.95));
}

TEST(Envelope, holds_a_new_launch_as_often_as_it_says) {
  constexpr int trials = 4000;
  for (const int launches : {6, 10, 11, 21, 61, 100}) {
    int held = 0, above = 0;
    for (int i = 0; i < trials; ++i) {
      auto points = daily(launches + 1, 2, static_cast<std::uint64_t>(i));
      const double next = points.back().value;
      points.pop_back();
      held += envelope_of(points, 0.95)->judge(next) == Place::within;
      above += envelope_of(points)->judge(next) == Place::above;
    }
    EXPECT_GT(held, 0.935 * trials) << launches;
    EXPECT_LT(held, 0.975 * trials) << launches;
    EXPECT_LT(above, 0.009 * trials) << launches << ": an alert of one launch in 200 is meant";
  }
}

TEST(Envelope, of_equal_times_is_no_single_value) {
  const std::vector<Point> points(20, {day(0), 100});
  EXPECT_EQ(envelope_of(points)->judge(100.1), Place::within);
  EXPECT_EQ(envelope_of(points)->judge(101), Place::above);
}

TEST(Envelope, judges_by_its_range) {
  const auto envelope = *envelope_of(counting(39), 0.95);
  EXPECT_EQ(envelope.judge(0.5), Place::below);
  EXPECT_EQ(envelope.judge(1), Place::within);
  EXPECT_EQ(envelope.judge(39), Place::within);
  EXPECT_EQ(envelope.judge(39.1), Place::above);
  EXPECT_EQ(name(Place::above), "above");
}

TEST(Normal, of_a_drift_is_around_the_level_that_it_has_reached) {
  // 0.2 % a night from night 60 on, which is 22 % in 100 nights.
  const auto points = daily(160, 1, 1, [](int night) { return night < 60 ? 0 : 0.002 * (night - 60); });
  const auto changes = changes_in(points, {});
  ASSERT_FALSE(changes.empty());
  ASSERT_EQ(changes.back().kind, Change::Kind::drift);
  const auto envelope = normal_of(points, {});
  ASSERT_TRUE(envelope);
  EXPECT_TRUE(envelope->is_of_drift);
  EXPECT_GT(envelope->launches, 50U);
  EXPECT_NEAR(envelope->median_us, 100 * std::exp(0.002 * 99), 2);
  EXPECT_LT(envelope->range_us.high / envelope->range_us.low, 1.08) << "as the noise, not as the drift";
  EXPECT_EQ(envelope->judge(points.back().value * 1.1), Place::above);
  EXPECT_EQ(first_at_present_level(points.size(), changes), 150U);
}

TEST(Normal, rests_on_the_launches_since_the_last_change) {
  const auto points = daily(160, 1, 1, step_at(100, 10));
  const auto envelope = normal_of(points, {}, 0.95);
  ASSERT_TRUE(envelope);
  EXPECT_NEAR(static_cast<double>(envelope->launches), 60, 1);
  EXPECT_NEAR(envelope->median_us, 110, 1);
  EXPECT_EQ(envelope->judge(100), Place::below);
  EXPECT_EQ(normal_of(std::span(points).first(100), {}, 0.95)->launches, 100u);
  EXPECT_FALSE(normal_of(std::span(points).first(4), {}));
}

}  // namespace
}  // namespace ringmark::history
