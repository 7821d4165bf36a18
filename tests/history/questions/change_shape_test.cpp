#include "history/questions/change_shape.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

double ramp(int i, int begin, int end, double size) {
  return size * std::clamp(static_cast<double>(i - begin) / (end - begin), 0.0, 1.0);
}

TEST(ChangeShape, finds_a_ramp) {
  const auto nights = nights_of(daily(150, 0.5, 1, [](int i) { return ramp(i, 60, 90, 0.05); }), {});
  const std::vector<std::size_t> steps{75};
  const auto found = ramp_instead_of(nights, steps, 0.005);
  ASSERT_TRUE(found);
  EXPECT_NEAR(static_cast<double>(found->begin), 60, 5);
  EXPECT_NEAR(static_cast<double>(found->end), 90, 5);
  EXPECT_NEAR(found->fit.change, 0.05, 0.004);
}

TEST(ChangeShape, leaves_a_step_and_two_steps_alone) {
  const auto one = nights_of(daily(150, 0.5, 2, step_at(75, 5)), {});
  EXPECT_FALSE(ramp_instead_of(one, std::vector<std::size_t>{75}, 0.005));
  const auto two = nights_of(daily(150, 0.5, 3, [](int i) { return 0.03 * (i >= 50) + 0.03 * (i >= 100); }), {});
  EXPECT_FALSE(ramp_instead_of(two, std::vector<std::size_t>{50, 100}, 0.005));
  EXPECT_FALSE(ramp_instead_of(std::span(one).first(6), std::vector<std::size_t>{3}, 0.005));
}

TEST(ChangeShape, moves_evenly_in_time_across_a_gap) {
  std::vector<Point> points;
  for (int i = 0; i < 120; ++i) {
    if (i >= 70 && i < 85) continue;
    points.push_back({day(i), std::exp(ramp(i, 60, 90, 0.05) + 0.002 * ((i * 7) % 5 - 2))});
  }
  const auto nights = nights_of(points, {});
  const auto found = ramp_instead_of(nights, std::vector<std::size_t>{70}, 0.003);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->fit.change, 0.05, 0.003);
}

}  // namespace
}  // namespace ringmark::history
